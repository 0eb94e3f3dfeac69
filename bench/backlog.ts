/**
 * How fast the rollup function catches up on a backlog, and that its sums are right then: `npm run bench:backlog`.
 *
 * The function counts 100,000 entries (or as many as the argument says) on the embedded engine, from the records of one
 * shard in batches of 1,000, as Lambda brings them; each row is then compared with a plain sum over the entries.
 * Prints a table on standard output, progress on standard error; takes some minutes.
 */
import { startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { backlogs } from './backlog/backlogs.ts';
import { catchUp } from './backlog/catch-up.ts';
import { markdownTable } from './shared/markdown-table.ts';

const count = Number(process.argv[2] ?? 100_000);
const rows: (string | number)[][] = [];
for (const [name, entriesOf] of Object.entries(backlogs)) {
  const database = await startEmbeddedDynamoDB();
  const { sums, calls, seconds } = await catchUp(database, entriesOf(count));
  await database.stop();
  rows.push([name, count, sums, (calls / count) * 1000, count / seconds, seconds]);
}
console.log(
  markdownTable(
    'Catching up',
    ['Entries of an hour', 'Count', 'Sums', 'Calls per 1,000', 'Entries a second', 'Seconds'],
    rows,
  ),
);
