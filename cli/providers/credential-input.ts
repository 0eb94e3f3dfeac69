/** Reads a credential from standard input, so that it never appears in arguments, shell history or on the screen. */

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { TerminalOutput } from '#lib/terminal-output.mjs';
import { AdminError, usageError } from '../errors.ts';

interface CredentialStreams {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Receives the prompt. Not standard output, which a script may read. */
  prompt: Pick<TerminalOutput, 'write'>;
}

const credential = z
  .string()
  .trim()
  .min(1, 'No credential was received on standard input: pipe it, as in "provider set NAME < key.txt"')
  .regex(
    /^[\x21-\x7e]{1,4096}$/,
    'The credential is invalid: it must be one line of at most 4096 characters without spaces',
  );

/** Reads all piped input, or one line typed at a prompt that does not echo. Trims surrounding white space. */
export async function readCredential(provider: string, streams: CredentialStreams): Promise<string> {
  const { input } = streams;
  const entered = input.isTTY ? await promptForCredential(provider, streams) : await text(input);
  const { success, data, error } = credential.safeParse(entered);
  if (success) return data;
  throw usageError(error.issues[0]?.message ?? 'The credential is invalid');
}

async function promptForCredential(provider: string, { input, prompt }: CredentialStreams): Promise<string> {
  const discarded = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: discarded, terminal: true });
  const interrupted = new AbortController();
  reader.once('SIGINT', () => interrupted.abort());
  reader.once('close', () => interrupted.abort());
  prompt.write(`Credential for ${provider} (input is hidden): `);
  try {
    return await reader.question('', { signal: interrupted.signal });
  } catch {
    throw new AdminError('Cancelled: nothing was changed');
  } finally {
    prompt.write('\n');
    reader.close();
  }
}
