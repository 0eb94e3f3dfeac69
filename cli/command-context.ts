/** The gateway that an admin command works on, and the output of the command. */
import type { Command } from 'commander';
import { z } from 'zod';
import { connectToStack } from './connection/deployed-stack.ts';
import type { GatewayConnection } from './connection/gateway-connection.ts';
import { connectToLocalGateway } from './connection/local-gateway.ts';
import { requireStackFor, stackOptions } from './connection/stack-options.ts';
import { type Terminal, terminalOf } from './terminal.ts';

export interface CommandContext extends GatewayConnection {
  terminal: Terminal;
  show(result: { json: unknown; text: string }): void;
  /** Prints a line on standard error. */
  note(text: string): void;
}

const globalOptions = z.object({ ...stackOptions, json: z.boolean().default(false) });

export async function openCommandContext(command: Command): Promise<CommandContext> {
  const { stack, region, profile, json } = globalOptions.parse(command.optsWithGlobals());
  requireStackFor({ stack, region, profile });
  const terminal = terminalOf(command);
  const { environment } = terminal;
  const gateway =
    stack === undefined
      ? await connectToLocalGateway(environment)
      : await connectToStack({ stackName: stack, region, profile }, environment);
  return {
    ...gateway,
    terminal,
    note: (text) => {
      terminal.errors.write(`note: ${text}\n`);
    },
    show: (result) => {
      terminal.output.write(`${json ? JSON.stringify(result.json, null, 2) : result.text}\n`);
    },
  };
}
