/**
 * What the chat function does with so much memory, and the CPU that comes with it: `npm run bench:memory`.
 *
 * For each size, processes with Node's flags and the share of a CPU that Lambda gives, one request at a time, with TLS to
 * the provider and AWS. Prints tables; takes two minutes and wants an otherwise idle machine.
 */

import { onDemandMillionUsd } from './cost/capacity.ts';
import { chat } from './cost/chat.ts';
import { cpuShare } from './harness/chat-bundle.ts';
import { startEnvironment } from './harness/environment.ts';
import { dollars, markdownTable, percent } from './harness/figures.ts';
import { findCpuQuota } from './memory/cpu-quota.ts';
import {
  firstRequestMs,
  type LimitedFunction,
  largeRequests,
  longStream,
  measureLargeRequest,
  measureLongStreams,
  measureShortChats,
  startFunction,
} from './memory/measure.ts';

const sizes = [128, 256, 512, 1024, 1769];
const freshStarts = 5;
const rounds = 100;
const streams = 3;
const largeRequestTimes = 4;

const environment = await startEnvironment({ tls: true });
const quota = findCpuQuota();
const quotaName =
  quota === null ? 'not limited, since control groups are not writable' : `limited by ${quota.name}`;
try {
  console.log(`CPU time is ${quotaName}.\n`);
  await measureChats();
  await measureLargeRequests();
} finally {
  await environment.stop();
}

async function measureChats(): Promise<void> {
  const firstMs: number[] = [];
  for (const memoryMb of sizes) {
    firstMs.push(await firstRequestMs(environment, { memoryMb, quota }, freshStarts));
  }
  const functions: LimitedFunction[] = [];
  for (const memoryMb of sizes) functions.push(await startFunction(environment, { memoryMb, quota }));
  const shortChats = await measureShortChats(environment, functions, rounds);
  const longStreams = await measureLongStreams(environment, functions, streams);
  await Promise.all(functions.map((limited) => limited.stop()));
  console.log(
    markdownTable(
      'Short chats, one at a time; the provider takes 20 ms',
      [
        'Memory',
        'Share of a CPU',
        'First request, ms',
        ...['Added to a completion, ms: p50', 'p99'],
        ...['Added to the first token, ms: p50', 'p99'],
        'CPU, ms a request',
        'After the response, ms',
        'Added, $ a million',
      ],
      shortChats.map(({ added, firstTokenAdded, cpuMs, afterResponseMs }, index) => [
        ...sizeCells(index),
        firstMs[index] ?? Number.NaN,
        ...[added.p50, added.p99],
        ...[firstTokenAdded.p50, firstTokenAdded.p99],
        cpuMs,
        afterResponseMs,
        dollars(billedUsd(index, added.p50 + afterResponseMs)),
      ]),
    ),
  );
  console.log(
    markdownTable(
      `A stream of ${longStream.chunks} chunks, ${longStream.gapMs} ms apart`,
      ['Memory', 'Share of a CPU', 'Ends later than at the provider, ms', 'CPU, ms', 'CPU, of its share'],
      longStreams.map(({ laterMs, cpuMs }, index) => {
        const availableMs = longStream.chunks * longStream.gapMs * cpuShare(sizes[index] ?? 0);
        return [...sizeCells(index), laterMs, cpuMs, percent(cpuMs / availableMs)];
      }),
    ),
  );
}

function sizeCells(index: number): string[] {
  const memoryMb = sizes[index] ?? 0;
  return [`${memoryMb} MB`, percent(cpuShare(memoryMb))];
}

/** For a million chats that take so much longer. */
function billedUsd(index: number, ms: number): number {
  return (onDemandMillionUsd(sizes[index] ?? 0) * ms) / (chat.seconds * 1000);
}

async function measureLargeRequests(): Promise<void> {
  const rows: string[][] = [];
  for (const memoryMb of sizes) rows.push([`${memoryMb} MB`, ...(await largeRequestCells(memoryMb))]);
  console.log(
    markdownTable(
      'Large requests: added time, and the highest memory of the process',
      ['Memory', ...largeRequests.map(({ name }) => name)],
      rows,
    ),
  );
}

/** After a request that does not fit, larger ones are not tried. */
async function largeRequestCells(memoryMb: number): Promise<string[]> {
  const cells: string[] = [];
  for (const request of largeRequests) {
    const cost = await measureLargeRequest(environment, { memoryMb, quota }, request, largeRequestTimes);
    if (cost === null) break;
    const figures = `${cost.addedMs.toFixed(0)} ms, ${cost.peakRssMb.toFixed(0)} MB`;
    cells.push(cost.peakRssMb > memoryMb ? `${figures}: **too much**` : figures);
  }
  return largeRequests.map((_, index) => cells[index] ?? '**does not fit**');
}
