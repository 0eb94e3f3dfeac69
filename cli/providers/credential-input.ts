/** Takes a credential from standard input, so that it shows in no argument list, history or screen. */

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AdminError, usageError } from '../admin-error.ts';

interface CredentialStreams {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Where a person is asked; not standard output, which a script may read. */
  prompt: NodeJS.WritableStream;
}

/** Reads all that is piped, or one line that a person types unseen. Spaces and line ends around it are dropped. */
export async function readCredential(provider: string, streams: CredentialStreams): Promise<string> {
  const { input } = streams;
  const credential = (input.isTTY ? await ask(provider, streams) : await text(input)).trim();
  if (credential === '') {
    throw usageError(
      `No credential came in on standard input: pipe it, as in "provider set ${provider} < key.txt"`,
    );
  }
  if (!/^[\x21-\x7e]{1,4096}$/.test(credential)) {
    throw usageError('That is no credential: it must be one line without spaces, of at most 4096 characters');
  }
  return credential;
}

async function ask(provider: string, { input, prompt }: CredentialStreams): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: unseen, terminal: true });
  const interrupted = new AbortController();
  reader.once('SIGINT', () => interrupted.abort());
  reader.once('close', () => interrupted.abort());
  prompt.write(`Credential of ${provider} (not shown): `);
  try {
    return await reader.question('', { signal: interrupted.signal });
  } catch {
    throw new AdminError('Nothing was changed');
  } finally {
    prompt.write('\n');
    reader.close();
  }
}
