/** Writes the functions' log: one JSON object per line, `level` and `event` first, field names in snake_case. */

export interface Log {
  info(event: string, fields: object): void;
  error(event: string, fields: object): void;
}

export function createLog(output: Pick<Console, 'log' | 'error'>): Log {
  return {
    info: (event, fields) => output.log(JSON.stringify({ level: 'INFO', event, ...fields })),
    error: (event, fields) => output.error(JSON.stringify({ level: 'ERROR', event, ...fields })),
  };
}

export const log = createLog(console);

/** Leaves out the error's message, which may quote a prompt. */
export function errorFields(error: unknown): { error: string; code: string | null; at: string | null } {
  if (!(error instanceof Error)) return { error: typeof error, code: null, at: null };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { error: error.name, code, at: locationOf(error) };
}

/** Returns file, line and column of the first stack frame. The message precedes the frames and may look like one. */
function locationOf({ stack = '', message }: Error): string | null {
  const messageAt = stack.indexOf(message);
  if (messageAt === -1) return null;
  const frames = stack.slice(messageAt + message.length).split('\n');
  const first = frames.find((line) => line.trimStart().startsWith('at '))?.replace(/\)$/, '') ?? '';
  const location = first.split(/[\s/\\(]/).at(-1) ?? '';
  return /:\d+$/.test(location) ? location : null;
}
