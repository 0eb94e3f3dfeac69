/**
 * Measures the chat function by memory size, which also determines its CPU share: `npm run bench:memory`.
 *
 * Each process has the Node flags and the CPU share that Lambda assigns to its size, handles one request at a time, and
 * uses TLS to the provider and AWS. Prints tables; takes two minutes and requires an otherwise idle machine.
 */
import { onDemandUsdPerMillion } from './cost/capacity.ts';
import { chat } from './cost/chat.ts';
import { cpuShare } from './harness/chat-bundle.ts';
import { startEnvironment } from './harness/environment.ts';
import { dollars, markdownTable, percent } from './harness/figures.ts';
import { findCpuQuota } from './memory/cpu-quota.ts';
import {
  type LimitedFunction,
  largeRequests,
  longStream,
  measureFirstRequest,
  measureLargeRequest,
  measureLongStreams,
  measureShortChats,
  startFunction,
} from './memory/measure.ts';

const memorySizesMb = [128, 256, 512, 1024, 1769];
const coldStarts = 5;
const rounds = 100;
const streams = 3;
const largeRequestRounds = 4;

const environment = await startEnvironment({ tls: true });
const quota = findCpuQuota();
const quotaStatus = quota === null ? 'not limited: cannot create control groups' : `limited by ${quota.name}`;
try {
  console.log(`CPU time is ${quotaStatus}.\n`);
  await measureChats();
  await measureLargeRequests();
} finally {
  await environment.stop();
}

async function measureChats(): Promise<void> {
  const firstRequestMs: number[] = [];
  for (const memoryMb of memorySizesMb) {
    firstRequestMs.push(await measureFirstRequest(environment, { memoryMb, quota }, coldStarts));
  }
  const functions: LimitedFunction[] = [];
  for (const memoryMb of memorySizesMb) functions.push(await startFunction(environment, { memoryMb, quota }));
  const shortChats = await measureShortChats(environment, functions, rounds);
  const longStreams = await measureLongStreams(environment, functions, streams);
  await Promise.all(functions.map((limited) => limited.stop()));
  console.log(
    markdownTable(
      'Short chats, sequential; the provider takes 20 ms',
      [
        'Memory',
        'CPU share',
        'First request, ms',
        'Added latency, ms: p50',
        'p99',
        'Added time to first token, ms: p50',
        'p99',
        'CPU per request, ms',
        'Duration after the response, ms',
        'Added cost per million, $',
      ],
      shortChats.map(({ added, firstTokenAdded, cpuMs, afterResponseMs }, index) => [
        ...sizeCells(index),
        firstRequestMs[index] ?? Number.NaN,
        added.p50,
        added.p99,
        firstTokenAdded.p50,
        firstTokenAdded.p99,
        cpuMs,
        afterResponseMs,
        dollars(billedUsd(index, added.p50 + afterResponseMs)),
      ]),
    ),
  );
  console.log(
    markdownTable(
      `A stream of ${longStream.chunks} chunks, ${longStream.gapMs} ms apart`,
      ['Memory', 'CPU share', 'Delay of the end, ms', 'CPU per stream, ms', 'Share of available CPU time'],
      longStreams.map(({ endDelayMs, cpuMs }, index) => {
        const availableMs = longStream.chunks * longStream.gapMs * cpuShare(memorySizesMb[index] ?? 0);
        return [...sizeCells(index), endDelayMs, cpuMs, percent(cpuMs / availableMs)];
      }),
    ),
  );
}

function sizeCells(index: number): string[] {
  const memoryMb = memorySizesMb[index] ?? 0;
  return [`${memoryMb} MB`, percent(cpuShare(memoryMb))];
}

/** Returns the cost of `ms` of additional duration per chat, for a million chats. */
function billedUsd(index: number, ms: number): number {
  return (onDemandUsdPerMillion(memorySizesMb[index] ?? 0) * ms) / (chat.seconds * 1000);
}

async function measureLargeRequests(): Promise<void> {
  const rows: string[][] = [];
  for (const memoryMb of memorySizesMb) rows.push([`${memoryMb} MB`, ...(await largeRequestCells(memoryMb))]);
  console.log(
    markdownTable(
      'Large requests: added latency and peak memory of the process',
      ['Memory', ...largeRequests.map(({ name }) => name)],
      rows,
    ),
  );
}

/** Skips larger requests after the first one that exceeds the memory. */
async function largeRequestCells(memoryMb: number): Promise<string[]> {
  const cells: string[] = [];
  for (const request of largeRequests) {
    const cost = await measureLargeRequest(environment, { memoryMb, quota }, request, largeRequestRounds);
    if (cost === null) break;
    const figures = `${cost.addedMs.toFixed(0)} ms, ${cost.peakRssMb.toFixed(0)} MB`;
    cells.push(cost.peakRssMb > memoryMb ? `${figures}: **too much**` : figures);
  }
  return largeRequests.map((_, index) => cells[index] ?? '**out of memory**');
}
