import type { Command } from 'commander';
import { addAuditCommands } from './audit/list-command.ts';
import { addBudgetCommands } from './budgets/budget-commands.ts';
import { addStackOptions } from './connection/stack-options.ts';
import { addCostCommands } from './costs/cost-commands.ts';
import { addKeyCommands } from './keys/key-commands.ts';
import { addLimitCommands } from './limits/limit-commands.ts';
import { addExportCommand } from './logs/export-command.ts';
import { addRecoverCommand } from './logs/recover-command.ts';
import { addOrganizationCommands } from './organizations/organization-commands.ts';
import { addPriceCommands } from './prices/price-commands.ts';
import { addProviderCommands } from './providers/provider-commands.ts';
import { addRebuildCommand } from './rollups/rebuild-command.ts';
import { addReplayCommand } from './rollups/replay-command.ts';
import { addVerifyCommand } from './rollups/verify-command.ts';
import { addRouteCommands } from './routes/route-commands.ts';
import { createProgram, runProgram } from './run-program.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const examples = `
Examples:
  npm run admin -- org create --name "Acme"
  npm run admin -- org invite --organization org_4fTgQ0wZ6uKc1vXb --email jane@example.com
  npm run admin -- key create --organization org_4fTgQ0wZ6uKc1vXb --name production
  npm run admin -- key list --organization org_4fTgQ0wZ6uKc1vXb --stack AiGateway --region eu-west-1
  npm run admin -- budget set --organization org_4fTgQ0wZ6uKc1vXb --amount 250 --period month --hard
  npm run admin -- limit set --organization org_4fTgQ0wZ6uKc1vXb --requests-per-minute 600 --concurrent 50
  npm run admin -- route set chat --all --target anthropic/claude-5 openai/gpt-5.6
  npm run admin -- provider set openai < openai-key.txt
  npm run --silent admin -- org list --json

Without --stack, commands apply to the local gateway, which must be running ("npm start"). Set
GATEWAY_DATA_DIRECTORY if its data directory is not .gateway. With --stack, commands use the AWS credentials
of --profile or of the environment, and the region of --region, AWS_REGION, AWS_DEFAULT_REGION, the profile, or
us-east-1, in this order. Each change is recorded in the audit trail, with the AWS identity that made it.

Exit codes: 0 success, 1 failure, 2 invalid command line, 130 stopped by a signal.`;

/** Resolves to the exit code, after everything has been printed. */
export function runAdmin(commandLine: readonly string[], terminal = processTerminal): Promise<number> {
  return runProgram(adminProgram(terminal), commandLine, terminal);
}

function adminProgram(terminal: Terminal): Command {
  const program = createProgram('npm run admin --', terminal).description(
    'Manage a gateway: organizations, API keys, budgets, rate limits, routes, provider credentials, prices, log entries, costs and the audit trail.',
  );
  addStackOptions(program, 'use this deployed stack instead of the local gateway')
    .option('--json', 'print JSON only')
    .addHelpText('after', examples)
    .configureHelp({ showGlobalOptions: true });
  addOrganizationCommands(program);
  addKeyCommands(program);
  addBudgetCommands(program);
  addLimitCommands(program);
  addRouteCommands(program);
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
