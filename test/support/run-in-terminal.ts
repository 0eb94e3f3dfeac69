/** Runs a command line in this process, and collects what it prints. */
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Terminal } from '#cli/terminal.ts';
import { createTerminalOutput } from '#lib/terminal-output.mjs';

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  environment?: Record<string, string>;
  input?: string;
}

export async function runInTerminal(
  run: (terminal: Terminal) => Promise<number>,
  { environment = {}, input = '' }: CommandOptions = {},
): Promise<CommandResult> {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(output), text(errors)]);
  const exitCode = await run({
    input: Readable.from([input]),
    output: createTerminalOutput(output),
    errors: createTerminalOutput(errors),
    environment,
    // Time stands still: however long a job takes, it prints no progress.
    nowMs: () => 0,
  });
  output.end();
  errors.end();
  const [stdout, stderr] = await printed;
  return { exitCode, stdout, stderr };
}
