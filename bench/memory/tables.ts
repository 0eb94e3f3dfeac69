/** The study's tables. */
import { chat } from '../cost/chat-footprint.ts';
import { dollars, percent } from '../cost/dollars.ts';
import { onDemandMillionUsd } from '../cost/provisioned.ts';
import { processorShare } from '../shared/lambda-flags.ts';
import { markdownTable } from '../shared/markdown-table.ts';
import { type LargeRequestCost, largeRequests } from './large-requests.ts';
import type { LongStream } from './long-stream.ts';
import type { ShortChats } from './short-chats.ts';

export interface SizeFigures extends ShortChats {
  memoryMb: number;
  firstMs: number;
  longStream: LongStream;
}

export function shortChatTable(figures: readonly SizeFigures[]): string {
  return markdownTable(
    'Short chats, one at a time; the provider takes 20 ms',
    [
      'Memory',
      'Of a processor',
      'First request, ms',
      'Added to a whole answer, ms: p50',
      'p99',
      'To the first token, ms: p50',
      'p99',
      'Processor, ms a request',
    ],
    figures.map(({ memoryMb, firstMs, added, firstTokenAdded, cpuMs }) => [
      `${memoryMb} MB`,
      percent(processorShare(memoryMb)),
      firstMs,
      added.p50,
      added.p99,
      firstTokenAdded.p50,
      firstTokenAdded.p99,
      cpuMs,
    ]),
  );
}

export function longStreamTable(figures: readonly SizeFigures[]): string {
  return markdownTable(
    'A stream of 300 chunks, 20 ms apart',
    ['Memory', 'Ends later than at the provider, ms', 'Processor, ms', 'Processor, of what there is'],
    figures.map(({ memoryMb, longStream: { laterMs, cpuMs } }) => [
      `${memoryMb} MB`,
      laterMs,
      cpuMs,
      percent(cpuMs / (300 * 20 * processorShare(memoryMb))),
    ]),
  );
}

/** What the gateway takes of an invocation beside the provider's time. */
export function billTable(figures: readonly SizeFigures[]): string {
  return markdownTable(
    'What of that is billed',
    [
      'Memory',
      `A million chats of ${chat.seconds} s, $`,
      "After the answer's end, ms",
      'The same and what is added, a million times, $',
    ],
    figures.map(({ memoryMb, added, afterAnswerMs }) => [
      `${memoryMb} MB`,
      dollars(onDemandMillionUsd(memoryMb)),
      afterAnswerMs,
      dollars((onDemandMillionUsd(memoryMb) / chat.seconds) * ((added.p50 + afterAnswerMs) / 1000)),
    ]),
  );
}

export function largeRequestTable(rows: readonly { memoryMb: number; costs: LargeRequestCost[] }[]): string {
  return markdownTable(
    'Large requests: what is added, and the most memory that the process had',
    ['Memory', ...largeRequests.map(({ name }) => name)],
    rows.map(({ memoryMb, costs }) => [
      `${memoryMb} MB`,
      ...costs.map((cost) => largeRequestCell(cost, memoryMb)),
    ]),
  );
}

export function largeRequestCell(
  { addedMs, peakRssMb, survived }: LargeRequestCost,
  memoryMb: number,
): string {
  if (!survived) return '**does not fit**';
  const used = `${addedMs.toFixed(0)} ms, ${peakRssMb.toFixed(0)} MB`;
  return peakRssMb > memoryMb ? `${used}: **too much**` : used;
}
