/**
 * The fault suite in its long form: `npm run test:faults`, or `npm run test:faults -- slow refused` for the rows with
 * these marks. `FAULTS=short` gives each row as few requests as in `npm test`.
 *
 * Prints each fault's row as it ends, and writes the table to `fault-table.md` in the folder for temporary files. Exits
 * with 1 when a request was lost or counted twice, or anything else is wrong.
 */
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGood, sumRow, tableHead, tableRow } from './fault-table.ts';
import { startFaultWorld } from './harness/fault-world.ts';
import { type Row, runScene } from './run-scene.ts';
import type { Scene } from './scene.ts';
import { allScenes } from './scenes/all-scenes.ts';

const form = process.env.FAULTS === 'short' ? 'short' : 'long';
const marks = process.argv.slice(2);
const scenes = allScenes.filter(({ mark }) => marks.length === 0 || marks.includes(mark));

console.log(tableHead);
const rows = [
  ...(await runAll(
    'in memory',
    scenes.filter(({ killsEngine }) => killsEngine !== true),
  )),
  ...(await runAll(
    'on a file',
    scenes.filter(({ killsEngine }) => killsEngine === true),
  )),
];
const table = [tableHead, ...rows.map(tableRow), tableRow(sumRow(rows))].join('\n');
const file = join(tmpdir(), 'fault-table.md');
await writeFile(file, `${table}\n`);
console.log(`\n${table}\n\nThe table is also in ${file}`);
if (!rows.every(isGood)) process.exitCode = 1;

async function runAll(tables: 'in memory' | 'on a file', chosen: readonly Scene[]): Promise<Row[]> {
  if (chosen.length === 0) return [];
  await using world = await startFaultWorld(tables);
  const done: Row[] = [];
  for (const scene of chosen) {
    const row = await runScene(world, { scene, form });
    console.log(tableRow(row));
    for (const text of row.wrong.slice(0, 10)) console.log(`  ${text}`);
    done.push(row);
  }
  return done;
}
