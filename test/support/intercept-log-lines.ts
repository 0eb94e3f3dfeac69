import { recordOutput } from './planted-secrets/output-recorder.ts';

/** Passes the lines of the functions' log to `onLine` instead of standard output, until the returned function is called. */
export function interceptLogLines(onLine: (line: string) => void): () => void {
  const { stdout } = process;
  const { write } = stdout;
  stdout.write = new Proxy(write, {
    apply(target, self, parameters: Parameters<typeof write>) {
      const [text] = parameters;
      if (typeof text !== 'string' || !isLogLine(text)) return Reflect.apply(target, self, parameters);
      recordOutput("the functions' log", text);
      onLine(text.trimEnd());
      return true;
    },
  });
  return () => {
    stdout.write = write;
  };
}

function isLogLine(text: string): boolean {
  return text.startsWith('{"timestamp":');
}
