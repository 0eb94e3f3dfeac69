/** The command `npm run demo-data`. */

import { parseArgs } from 'node:util';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { LocalGatewayError, messageOf } from '../local-gateway-error.ts';
import { demoBudgets, totalCost } from './budgets.ts';
import { dateText } from './calendar.ts';
import { demoEntries } from './entries.ts';
import { type LocalTables, openLocalGateway } from './gateway.ts';
import { ensureDemoKeys } from './keys.ts';
import { waitUntilCounted, writeEntries } from './write.ts';

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
  if (options.help) {
    print(help);
    return;
  }
  const until = readUntil(options.until, now());
  const tables = await openLocalGateway(dataDirectory, now);
  try {
    await write(tables, until, command);
  } finally {
    tables.close();
  }
}

async function write(
  tables: LocalTables,
  until: Date,
  { print, onProgress }: Pick<DemoDataCommand, 'print' | 'onProgress'>,
): Promise<void> {
  const { organizationId, audit, directoryTable, budgetCounters, dashboardUrl } = tables;
  const keys = await ensureDemoKeys(createDirectoryStore(directoryTable), audit, organizationId);
  onProgress('Calculating the costs');
  const entries = await demoEntries({ ...tables, keys, until });
  const added = await writeEntries(tables, entries, (written, total) => {
    if (written % 1000 === 0) onProgress(`Writing the requests: ${count(written)} of ${count(total)}`);
  });
  onProgress('Waiting until the gateway has counted them');
  await waitUntilCounted(tables, entries);
  // Last, since a new budget counts at once what the sums have.
  for (const { key, period, budget } of demoBudgets(entries, keyIdsOf(keys), until)) {
    const scope = { organizationId, keyId: key && keys[key].id };
    await setBudget({ directoryTable, budgetCounters }, scope, period, budget, audit);
  }
  const [first, last] = [entries.at(0), entries.at(-1)];
  print(
    [
      `${count(entries.length)} requests from ${day(first)} to ${day(last)} (UTC) for ${totalCost(entries)} USD, of which ${count(added)} are new.`,
      ...(dashboardUrl === null
        ? []
        : [`Dashboard: ${dashboardUrl} (the first account owns the organization Demo)`]),
      '',
    ].join('\n'),
  );
}

function readArguments(argumentList: string[]) {
  try {
    const { values } = parseArgs({
      args: argumentList,
      options: { until: { type: 'string' }, help: { type: 'boolean' } },
    });
    return values;
  } catch (error) {
    throw new LocalGatewayError(`${messageOf(error)}: see --help`);
  }
}

/** Exclusive: the end of the day, or the present. */
export function readUntil(text: string | undefined, now: Date): Date {
  if (text === undefined) return now;
  const startMs = Date.parse(`${text}T00:00:00.000Z`);
  if (Number.isNaN(startMs) || dateText(startMs) !== text) {
    throw new LocalGatewayError(`--until must be a date such as ${dateText(now.getTime())}, not "${text}"`);
  }
  if (startMs > now.getTime()) {
    throw new LocalGatewayError(
      `--until must not be in the future: it is ${dateText(now.getTime())} (UTC), not yet ${text}`,
    );
  }
  return new Date(Math.min(startMs + dayMs, now.getTime()));
}

function keyIdsOf<Name extends string>(keys: Record<Name, { id: string }>): Record<Name, string> {
  const names = Object.keys(keys) as Name[];
  return Object.fromEntries(names.map((name) => [name, keys[name].id])) as Record<Name, string>;
}

function day(entry: { created_at: string } | undefined): string {
  return entry?.created_at.slice(0, 10) ?? '';
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
