/**
 * Values of Node's HTTP module. An `import` of them would read every getter of the module, and one of these loads undici,
 * which adds 50 ms to the start of a thread.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
