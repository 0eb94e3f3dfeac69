import { Command, CommanderError } from 'commander';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { addAuditCommands } from './audit/list-command.ts';
import { addBudgetCommands } from './budgets/budget-commands.ts';
import { addCostCommands } from './costs/cost-commands.ts';
import { AdminError } from './errors.ts';
import { addKeyCommands } from './keys/key-commands.ts';
import { addExportCommand } from './logs/export-command.ts';
import { addRecoverCommand } from './logs/recover-command.ts';
import { addOrganizationCommands } from './organizations/organization-commands.ts';
import { addPriceCommands } from './prices/price-commands.ts';
import { addProviderCommands } from './providers/provider-commands.ts';
import { addRebuildCommand } from './rollups/rebuild-command.ts';
import { addReplayCommand } from './rollups/replay-command.ts';
import { addVerifyCommand } from './rollups/verify-command.ts';
import { attachTerminal, processTerminal, type Terminal } from './terminal.ts';

const examples = `
Examples:
  npm run admin -- org create --name "Acme"
  npm run admin -- org invite --organization org_4fTgQ0wZ6uKc1vXb --email jane@example.com
  npm run admin -- key create --organization org_4fTgQ0wZ6uKc1vXb --name production
  npm run admin -- key list --organization org_4fTgQ0wZ6uKc1vXb --stack AiGateway --region eu-west-1
  npm run admin -- budget set --organization org_4fTgQ0wZ6uKc1vXb --amount 250 --period month --hard
  npm run admin -- provider set openai < openai-key.txt
  npm run --silent admin -- org list --json

Without --stack, commands apply to the local gateway, which must be running ("npm start"). Set
GATEWAY_DATA_DIRECTORY if its data directory is not .gateway. With --stack, commands use the AWS credentials
of the environment. Each change is recorded in the audit trail, with the AWS identity that made it.

Exit codes: 0 success, 1 failure, 2 invalid command line, 130 stopped by a signal.`;

/** Resolves to the exit code, after everything has been printed. */
export async function runAdmin(commandLine: readonly string[], terminal = processTerminal): Promise<number> {
  try {
    await adminProgram(terminal).parseAsync(commandLine, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && isHelp(error)) return error.code === 'commander.help' ? 2 : 0;
    terminal.errors.write(`error: ${oneLine(messageOf(error))}\n`);
    return exitCodeOf(error);
  }
}

function adminProgram(terminal: Terminal): Command {
  const program = attachTerminal(new Command('npm run admin --'), terminal)
    .description(
      'Manage a gateway: organizations, API keys, budgets, provider credentials, prices, log entries, costs and the audit trail.',
    )
    .option('--stack <name>', 'use this deployed stack instead of the local gateway')
    .option('--region <region>', "the stack's region (default: from the AWS configuration)")
    .option('--json', 'print JSON only')
    .addHelpText('after', examples)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  addOrganizationCommands(program);
  addKeyCommands(program);
  addBudgetCommands(program);
  addProviderCommands(program);
  addPriceCommands(program);
  addCostCommands(program);
  const rollups = program
    .command('rollups')
    .description('cost rollups: the sums of log entries that GET /api/costs returns');
  addVerifyCommand(rollups);
  addRebuildCommand(rollups);
  addReplayCommand(rollups);
  const logs = program.command('logs').description('log entries of requests');
  addExportCommand(logs);
  addRecoverCommand(logs);
  addAuditCommands(program);
  return program;
}

/** True when help was printed, either on request or because a command is missing. */
function isHelp({ code }: CommanderError): boolean {
  return code === 'commander.helpDisplayed' || code === 'commander.help';
}

function exitCodeOf(error: unknown): number {
  if (error instanceof AdminError) return error.exitCode;
  return error instanceof CommanderError ? 2 : 1;
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

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}
