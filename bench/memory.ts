/**
 * What the chat function does with so much memory, and the processor that comes with it: `npm run bench:memory`.
 *
 * For each size, environments with Node's flags and the share of a processor that Lambda gives, one request at a time,
 * everything that is called behind TLS. Prints tables on standard output; takes two minutes and wants a quiet machine.
 */
import { type Environment, startEnvironment } from './memory/environment.ts';
import {
  type LargeRequestCost,
  largeRequests,
  measureLargeRequest,
  unmeasured,
} from './memory/large-requests.ts';
import { measureLongStream } from './memory/long-stream.ts';
import { firstRequestMs, measureShortChats } from './memory/short-chats.ts';
import {
  billTable,
  largeRequestTable,
  longStreamTable,
  type SizeFigures,
  shortChatTable,
} from './memory/tables.ts';
import { startWorld, type World } from './memory/world.ts';

const sizes = [128, 256, 512, 1024, 1769];
const freshStarts = 5;
const rounds = 100;
const streams = 3;
const largeRequestsEach = 4;

const world = await startWorld();
try {
  const figures = await measure(world);
  console.log(`The processor is shared out by ${world.quota.how}.\n`);
  for (const table of [shortChatTable, longStreamTable, billTable]) console.log(table(figures));
  console.log(largeRequestTable(await measureLargeRequests(world)));
} finally {
  await world.stop();
}

async function measure(world: World): Promise<SizeFigures[]> {
  const firstMs: number[] = [];
  for (const memoryMb of sizes) firstMs.push(await firstRequestMs(world, memoryMb, freshStarts));
  const environments: Environment[] = [];
  try {
    for (const memoryMb of sizes) environments.push(await startEnvironment(world, memoryMb));
    const short = await measureShortChats(world, environments, rounds);
    const long = await measureLongStream(world, environments, streams);
    return sizes.flatMap((memoryMb, place) => {
      const [first, shortChats, longStream] = [firstMs[place], short[place], long[place]];
      if (first === undefined || shortChats === undefined || longStream === undefined) return [];
      return [{ memoryMb, firstMs: first, ...shortChats, longStream }];
    });
  } finally {
    await Promise.all(environments.map((environment) => environment.stop()));
  }
}

/** Where one was too much, a larger one is not tried. */
async function measureLargeRequests(world: World) {
  const rows: { memoryMb: number; costs: LargeRequestCost[] }[] = [];
  for (const memoryMb of sizes) {
    const costs: LargeRequestCost[] = [];
    for (const request of largeRequests) {
      const ended = costs.some(({ survived }) => !survived);
      const options = { memoryMb, request, times: largeRequestsEach };
      costs.push(ended ? unmeasured : await measureLargeRequest(world, options));
    }
    rows.push({ memoryMb, costs });
  }
  return rows;
}
