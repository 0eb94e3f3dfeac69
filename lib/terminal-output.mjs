// @ts-check
/**
 * Commands and the local run print through these outputs, because their text contains that of users and callers, such as names
 * and the ids of prompts, which must neither control the terminal nor change the order in which it shows other text.
 *
 * JavaScript, because `npm start` prints with it before it has found the compile cache: see `cache-directory.mjs`.
 */

/**
 * C0 (other than tab and line feed), DEL and C1, which are Unicode's `Cc`; the separators of lines and paragraphs; embeddings,
 * overrides and isolates of the direction of text.
 */
const controlCharacters = /(?![\t\n])\p{Cc}|[\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Writes these characters as JSON does, so that JSON keeps its value.
 * @param {string} text
 */
export function escapeControls(text) {
  return text.replace(
    controlCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Text whose control characters are the product's own, such as colours: all else has passed `escapeControls`.
 * @typedef {{ readonly escaped: string }} EscapedText
 */

/**
 * @typedef {object} PrintedStream
 * @property {boolean} [isTTY]
 * @property {number} [columns]
 * @property {(text: string, written?: (error?: Error | null) => void) => unknown} write
 */

/**
 * @typedef {object} TerminalOutput
 * @property {boolean} isTTY
 * @property {number | undefined} columns
 * @property {(text: string | EscapedText) => void} write
 * @property {(text: string, written: (error?: Error | null) => void) => void} writeData Data for a file or another program,
 *   which are unchanged unless a terminal shows them.
 */

/**
 * @param {PrintedStream} stream
 * @returns {TerminalOutput}
 */
export function createTerminalOutput(stream) {
  return {
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns;
    },
    write(text) {
      stream.write(typeof text === 'string' ? escapeControls(text) : text.escaped);
    },
    writeData(text, written) {
      // The lines of CSV end with both characters.
      stream.write(stream.isTTY ? escapeControls(text.replaceAll('\r\n', '\n')) : text, written);
    },
  };
}

export const standardOutput = createTerminalOutput(process.stdout);
export const standardErrors = createTerminalOutput(process.stderr);

// The reader of messages may close the pipe, which must not stop work in progress.
process.stderr.on('error', () => {});
