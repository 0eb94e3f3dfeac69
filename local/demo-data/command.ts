/** The command `npm run demo-data`. */
import { parseArgs } from 'node:util';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { LocalGatewayError, messageOf } from '../local-gateway-error.ts';
import { demoBudgets, totalCost } from './budgets.ts';
import { demoEntries } from './entries.ts';
import { ensureDemoKeys, type LocalTables, openLocalTables, readRunningConnection } from './gateway.ts';
import { writeEntries } from './write.ts';

const help = `Write 10,000 requests of 30 days to the organization Demo of the running gateway: npm run demo-data -- [--until DATE]

  --until DATE   the last day, in UTC, such as 2026-11-23 (default: today, up to now)
  --help         show this help

The requests are the same in every run, and a second run adds only what is missing. Six API keys and three budgets are
set up too.

Environment:
  GATEWAY_DATA_DIRECTORY   data directory of the gateway (default .gateway)
`;

interface DemoDataCommand {
  arguments: string[];
  dataDirectory: string;
  now(): Date;
  print(text: string): void;
  onProgress(text: string): void;
}

/** @throws LocalGatewayError for invalid arguments, or without a running gateway that has the organization */
export async function runDemoData(command: DemoDataCommand): Promise<void> {
  const { dataDirectory, now, print } = command;
  const options = readArguments(command.arguments);
  if (options.help) return print(help);
  const until = readUntil(options.until, now());
  const connection = await readRunningConnection(dataDirectory);
  const tables = openLocalTables(connection, now);
  try {
    print(await write(tables, until, command));
  } finally {
    tables.close();
  }
  if (connection.dashboard_url !== null)
    print(`Dashboard: ${connection.dashboard_url} (the first account owns the organization Demo)\n`);
}

/** Returns a summary. */
async function write(
  tables: LocalTables,
  until: Date,
  { onProgress }: Pick<DemoDataCommand, 'onProgress'>,
): Promise<string> {
  const keys = await ensureDemoKeys(tables);
  onProgress('Calculating the costs');
  const entries = await demoEntries({ ...tables, keys, until });
  const added = await writeEntries(tables, entries, (written, total) => {
    if (written === total) onProgress('Waiting until the gateway has counted them');
    else if (written % 1000 === 0) onProgress(`Writing the requests: ${count(written)} of ${count(total)}`);
  });
  // Last, since a new budget counts at once what the sums have.
  for (const { key, period, ...budget } of demoBudgets(entries, keys, until)) {
    const scope = { organizationId: tables.organizationId, keyId: key && keys[key].id };
    await setBudget(tables, scope, period, { ...budget, allowsUnpriced: false }, tables.audit);
  }
  const [first, last] = [entries.at(0), entries.at(-1)].map((entry) => entry?.created_at.slice(0, 10));
  return `${count(entries.length)} requests from ${first} to ${last} (UTC) for ${totalCost(entries)} USD, of which ${count(added)} are new.\n`;
}

function readArguments(argumentList: string[]) {
  try {
    const options = { until: { type: 'string' }, help: { type: 'boolean' } } as const;
    return parseArgs({ args: argumentList, options }).values;
  } catch (error) {
    throw new LocalGatewayError(`${messageOf(error)}: see --help`);
  }
}

/** Exclusive: the end of the day, or the present. */
export function readUntil(text: string | undefined, now: Date): Date {
  if (text === undefined) return now;
  const startMs = Date.parse(`${text}T00:00:00.000Z`);
  const today = now.toISOString().slice(0, 10);
  if (Number.isNaN(startMs) || new Date(startMs).toISOString().slice(0, 10) !== text)
    throw new LocalGatewayError(`--until must be a date such as ${today}, not "${text}"`);
  if (startMs > now.getTime())
    throw new LocalGatewayError(`--until must not be in the future: it is ${today} (UTC), not yet ${text}`);
  return new Date(Math.min(startMs + dayMs, now.getTime()));
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
