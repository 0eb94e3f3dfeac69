/** What every command starts from: the gateway it was pointed at, and how to show its result. */

import type { Command } from 'commander';
import { usageError } from './admin-error.ts';
import { connectToStack } from './connection/deployed-stack.ts';
import type { GatewayConnection } from './connection/gateway-connection.ts';
import { connectToLocalGateway } from './connection/local-gateway.ts';
import { type Terminal, terminalOf } from './terminal.ts';

export interface CommandSession extends GatewayConnection {
  terminal: Terminal;
  /** Prints `json` for scripts or `text` for people, as the command line says. */
  show(result: { json: unknown; text: string }): void;
}

interface GlobalOptions {
  stack?: string;
  region?: string;
  json?: boolean;
}

export async function openSession(command: Command): Promise<CommandSession> {
  const { stack, region, json = false } = command.optsWithGlobals<GlobalOptions>();
  if (stack === undefined && region !== undefined) {
    throw usageError('--region says where a deployed stack is: name it with --stack NAME');
  }
  const terminal = terminalOf(command);
  const gateway =
    stack === undefined
      ? await connectToLocalGateway(terminal.environment)
      : await connectToStack({ stackName: stack, region });
  return {
    ...gateway,
    terminal,
    show: (result) => {
      terminal.output.write(`${json ? JSON.stringify(result.json, null, 2) : result.text}\n`);
    },
  };
}
