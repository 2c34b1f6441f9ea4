/**
 * Node's HTTP module. An `import` of its values would read each of its getters, and one of them loads undici, which takes
 * 50 ms of the start of a thread.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
