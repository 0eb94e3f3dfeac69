/** Reads a credential from standard input, so that it appears in no argument list, history or screen. */

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { AdminError, usageError } from '../errors.ts';

interface CredentialStreams {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Takes the question to a person; not standard output, which a script may read. */
  prompt: NodeJS.WritableStream;
}

const credential = z
  .string()
  .trim()
  .min(1, 'No credential came in on standard input: pipe it, as in "provider set NAME < key.txt"')
  .regex(
    /^[\x21-\x7e]{1,4096}$/,
    'That is no credential: it must be one line without spaces, of at most 4096 characters',
  );

/** Reads everything that is piped, or one line that a person types unseen. Surrounding white space is dropped. */
export async function readCredential(provider: string, streams: CredentialStreams): Promise<string> {
  const { input } = streams;
  const typed = input.isTTY ? await promptForCredential(provider, streams) : await text(input);
  const { success, data, error } = credential.safeParse(typed);
  if (success) return data;
  throw usageError(error.issues[0]?.message ?? 'That is no credential');
}

async function promptForCredential(provider: string, { input, prompt }: CredentialStreams): Promise<string> {
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
