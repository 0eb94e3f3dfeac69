/** Runs a command line: prints a failure as one line, and turns it into an exit code. */
import { Command, CommanderError } from 'commander';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { AdminError } from './errors.ts';
import { attachTerminal, type Terminal } from './terminal.ts';

/** `runProgram` expects it. Commands that are added inherit its settings. */
export function createProgram(name: string, terminal: Terminal): Command {
  return attachTerminal(new Command(name), terminal)
    .configureOutput({ outputError: () => {} })
    .exitOverride();
}

/** Resolves to the exit code, after everything has been printed. */
export async function runProgram(
  program: Command,
  commandLine: readonly string[],
  { errors }: Pick<Terminal, 'errors'>,
): Promise<number> {
  try {
    await program.parseAsync(commandLine, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && isHelp(error)) return error.code === 'commander.help' ? 2 : 0;
    errors.write(`error: ${errorLine(error)}\n`);
    return exitCodeOf(error);
  }
}

/** True when help was printed, either on request or because a command is missing. */
function isHelp({ code }: CommanderError): boolean {
  return code === 'commander.helpDisplayed' || code === 'commander.help';
}

function exitCodeOf(error: unknown): number {
  if (error instanceof AdminError) return error.exitCode;
  return error instanceof CommanderError ? 2 : 1;
}

/** With the name of an error of AWS or Node, whose message may be empty. */
export function errorLine(error: unknown): string {
  return messageOf(error)
    .trim()
    .replace(/\s*\n\s*/g, ' ');
}

function messageOf(error: unknown): string {
  if (error instanceof CommanderError) return `${usageMessage(error)} (see --help)`;
  if (error instanceof AdminError || error instanceof GatewayError) return error.message;
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

/** Removes argument values from Commander's message, since one may be a misplaced secret. */
function usageMessage({ code, message }: CommanderError): string {
  const text = message.replace(/^error: /, '');
  if (code === 'commander.unknownOption') return text.replace(/^(unknown option '[^=']*)=.*$/s, "$1'");
  if (code !== 'commander.excessArguments') return text;
  return text
    .replace(
      / Expected 0 arguments but got \d+: .*$/s,
      ' This command takes options only, such as --organization <id>',
    )
    .replace(/(but got \d+): .*$/s, '$1');
}
