/* What of qrcode-terminal the program for WhatsApp uses. */
export default { generate: (text) => console.log(`scan ${text}`) };
