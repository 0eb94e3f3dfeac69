/** The standard streams and environment of a command: the process's, or replacements in tests. */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { standardErrors, standardOutput, type TerminalOutput } from '#lib/terminal-output.mjs';

export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: TerminalOutput;
  errors: TerminalOutput;
  environment: NodeJS.ProcessEnv;
  /** The clock by which long jobs print their progress. */
  nowMs(): number;
}

export const processTerminal: Terminal = {
  input: process.stdin,
  output: standardOutput,
  errors: standardErrors,
  environment: process.env,
  nowMs: Date.now,
};

/** Relative paths refer to the directory in which npm was called, since npm changes to the project directory. */
export function resolvePath(file: string, environment: NodeJS.ProcessEnv): string {
  return resolve(environment.INIT_CWD ?? process.cwd(), file);
}

const terminals = new WeakMap<Command, Terminal>();

/**
 * Sends all output of a program to a terminal, including help. Must be called before commands are added: they inherit
 * the output configuration when they are created.
 */
export function attachTerminal(program: Command, terminal: Terminal): Command {
  terminals.set(program, terminal);
  return program.configureOutput({
    writeOut: (text) => terminal.output.write(text),
    writeErr: (text) => terminal.errors.write(text),
  });
}

export function terminalOf(command: Command): Terminal {
  const terminal = terminals.get(command);
  if (terminal !== undefined) return terminal;
  return command.parent === null ? processTerminal : terminalOf(command.parent);
}
