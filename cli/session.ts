import type { Command } from 'commander';
import { z } from 'zod';
import { connectToStack } from './connection/deployed-stack.ts';
import type { GatewayConnection } from './connection/gateway-connection.ts';
import { connectToLocalGateway } from './connection/local-gateway.ts';
import { usageError } from './errors.ts';
import { type Terminal, terminalOf } from './terminal.ts';

export interface CommandSession extends GatewayConnection {
  terminal: Terminal;
  show(result: { json: unknown; text: string }): void;
  /** Prints a line on standard error. */
  note(text: string): void;
}

const globalOptions = z.object({
  stack: z.string().optional(),
  region: z.string().optional(),
  json: z.boolean().default(false),
});

export async function openSession(command: Command): Promise<CommandSession> {
  const { stack, region, json } = globalOptions.parse(command.optsWithGlobals());
  if (stack === undefined && region !== undefined) {
    throw usageError('--region requires --stack NAME');
  }
  const terminal = terminalOf(command);
  const gateway =
    stack === undefined
      ? await connectToLocalGateway(terminal.environment)
      : await connectToStack({ stackName: stack, region });
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
