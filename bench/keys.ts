/**
 * Measures what calls about an organization with 10,000 keys take on the embedded DynamoDB engine, and computes what they take
 * on AWS: `npm run bench:keys`.
 *
 * The engine counts calls and units as DynamoDB does. Times are computed from them: see `keys/dynamodb-times.ts`. Prints
 * tables, of which `docs/performance.md` has a selection, and its progress to standard error; takes some minutes. The argument
 * is the number of keys.
 */
import { maxCurrentKeys } from '#lambdas/access/directory.ts';
import { maxShardCount } from '#lambdas/request-log/id.ts';
import { startOrganizationsFixture } from '#test/support/accounts/organizations-fixture.ts';
import { startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';
import { markdownTable } from './harness/figures.ts';
import { createCaller } from './keys/caller.ts';
import {
  measureCreation,
  measureDeletion,
  measureHardBudget,
  measureRemoval,
  measureScaling,
} from './keys/changes.ts';
import { assumptions } from './keys/dynamodb-times.ts';
import { usageTable } from './keys/measure.ts';
import { copyKeyBudgets, createKeyOrganization, writeRollups } from './keys/organization.ts';
import {
  measureBudgets,
  measureEndedKeys,
  measureKeyLists,
  measureLookups,
  measureMembers,
  measurePage,
  measureRanking,
} from './keys/reads.ts';
import { simulateTime } from './keys/simulated-time.ts';
import { models } from './reports/dataset.ts';

const keyCount = Number(process.argv[2] ?? maxCurrentKeys);
const memberCount = 100;
const budgetCount = 1000;

const database = await startEmbeddedDynamoDB();
try {
  const fixture = await startOrganizationsFixture(database);
  const { name: tableName } = await createTable(database.client, 'LogEntries', {
    key: ['organization_shard', 'id'],
  });
  const owner = await fixture.signIn('Ada');
  const members = [];
  while (members.length < memberCount) members.push(await fixture.signIn(`Member ${members.length}`));
  const organization = await createKeyOrganization(fixture, { name: 'Acme', owner, members, keyCount });
  const time = simulateTime(database.client);
  const caller = createCaller(fixture, time);
  const logEntries = { client: database.documentClient, tableName };
  const subjects = { fixture, time, caller, organization, logEntries };
  const [newest] = organization.apiKeys;
  if (newest === undefined) throw new Error('The organization has no keys');

  await writeRollups(fixture, organization, models.slice(0, 1));
  const lookups = await measureLookups(subjects);
  const reads = [...(await measureKeyLists(subjects)), await measureRanking(subjects, 'each with one model')];
  await writeRollups(fixture, organization, models.slice(1, 3));
  reads.push(await measureRanking(subjects, 'each with three models'), await measureMembers(subjects));
  const keyBudget = await measureHardBudget(subjects, newest);
  await copyKeyBudgets(fixture, organization, { from: newest, count: Math.min(budgetCount, keyCount) });
  reads.push(...(await measureBudgets(subjects)));

  const creations = await measureCreation(subjects);
  const budget = await measureHardBudget(subjects, null);
  const scaling = await measureScaling(subjects);
  const withShards = `, with ${maxShardCount} log shards`;
  reads.push(await measurePage(subjects, withShards));
  reads.push(await measureRanking(subjects, `each with three models${withShards}`));
  const removal = await measureRemoval(subjects);
  reads.push(await measureEndedKeys(subjects));
  const deletion = await measureDeletion(subjects);
  const background = [budget, keyBudget, removal].flatMap((change) => [change.call, change.function]);

  const count = keyCount.toLocaleString('en');
  console.log(markdownTable('Assumptions', ['Of', 'Assumed'], assumptions));
  console.log(usageTable(`Reads of an organization with ${count} keys`, reads));
  console.log(usageTable('Changes of this organization', [...creations, ...background, scaling, deletion]));
  console.log(usageTable('The lookup of a key by chat', lookups));
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
  const effects = [
    ['a hard budget of the organization is active', '60', seconds(budget.effectMs)],
    ['a hard budget of a key is active', '60', seconds(keyBudget.effectMs)],
    [`the last of ${count} keys of a removed member is refused`, '120', seconds(removal.effectMs)],
  ];
  console.log(markdownTable('From the call until', ['', 'Target, s', 'Computed for AWS, s'], effects));
} finally {
  await database.stop();
}
