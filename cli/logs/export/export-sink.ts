/** Where an export goes. */
import { AdminError } from '#cli/admin-error.ts';

export interface ExportSink<Progress> {
  /** How far an earlier run came, of which all is there; `null` when there is nothing yet. */
  readonly resumed: Progress | null;
  /** Resolves when there is room for more, so that what is slow to take holds up what is quick to read. */
  write(text: string): Promise<void>;
  /** Told what a later run has to know to go on from here. */
  reach(progress: Progress): Promise<void>;
  /** All of it was written. */
  finish(): Promise<void>;
  /** Not all of it was. */
  leave(): Promise<void>;
}

/** Standard output, say: what went there cannot be gone on with. It stays open. */
export function streamSink(output: NodeJS.WritableStream): ExportSink<never> {
  return {
    resumed: null,
    write: (text) =>
      new Promise((resolve, reject) => {
        output.write(text, (error) => (error ? reject(incomplete()) : resolve()));
      }),
    async reach() {},
    async finish() {},
    async leave() {},
  };
}

/** Why is said where the output's errors are heard of. */
function incomplete(): AdminError {
  return new AdminError('Not all entries were written');
}
