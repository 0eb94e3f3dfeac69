/** The streams and the environment of a command: those of the process, or those that a caller passes. */
import type { Command } from 'commander';

export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
  errors: NodeJS.WritableStream & { isTTY?: boolean };
  environment: NodeJS.ProcessEnv;
}

export const processTerminal: Terminal = {
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  environment: process.env,
};

const terminals = new WeakMap<Command, Terminal>();

/** Help goes there too. Has to come before the program's commands are added, which inherit this. */
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
