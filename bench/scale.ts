/**
 * How what a request costs grows with its size, its chunks, the requests at once and the organizations:
 * `npm run bench:scale`.
 *
 * Every answer and every log entry is looked at. Prints tables and charts on standard output; takes three minutes.
 */
import { answersAtOnce, streamsAtOnce } from './scale/at-once.ts';
import { bodySizes, chunkCounts, spacedChunkCounts } from './scale/in-request.ts';
import { organizations } from './scale/organizations.ts';
import { renderSeries } from './scale/series.ts';
import { startWorld } from './scale/world.ts';

const world = await startWorld();
try {
  for (const measure of [bodySizes, chunkCounts, spacedChunkCounts, streamsAtOnce, answersAtOnce]) {
    console.log(renderSeries(await measure(world)));
  }
  for (const series of await organizations(world)) console.log(renderSeries(series));
} finally {
  await world.stop();
}
