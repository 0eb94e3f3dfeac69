/**
 * Compares messages and responses that are translated for Google's API with chat completions of the same size that are: in the
 * CPU time of the same process, and in the time to the first byte of a stream.
 */
import type { Environment } from '../harness/environment.ts';
import { markdownTable, percentile } from '../harness/figures.ts';
import { compare, type Load, startGateway, type TranslatedName, translatedOf } from './implementations.ts';
import { completion, streamOf, warmUp } from './measure.ts';

type Figures = Record<TranslatedName, number>;

interface Comparison {
  label: string;
  /** The CPU time per request, in microseconds. */
  cpuMicros: Figures;
  /** The median of the time to the first byte, in milliseconds. */
  firstByteMs: Figures;
}

/** About that of a coding agent. */
const agentBytes = 88_000;

const loads: readonly [label: string, load: Omit<Load, 'concurrency'>][] = [
  ['A completion, request of 700 bytes', { ...completion, requests: 1000 }],
  ['A completion, request of 88 kB', { ...completion, bytes: agentBytes, requests: 300 }],
  [
    'A stream of 300 events, request of 700 bytes',
    { ...streamOf(300, 0), includeUsage: true, requests: 300 },
  ],
  [
    'A stream of 300 events, request of 88 kB',
    { ...streamOf(300, 0), includeUsage: true, bytes: agentBytes, requests: 300 },
  ],
];

export async function measureTranslated(environment: Environment, rounds: number): Promise<Comparison[]> {
  const gateway = await startGateway(environment);
  const names: readonly TranslatedName[] = ['translatedChat', 'translatedMessages', 'translatedResponses'];
  const implementations = names.map((name) => translatedOf(gateway, name));
  await warmUp(environment, implementations);
  const comparisons: Comparison[] = [];
  for (const [label, load] of loads) {
    const results = await compare(environment, implementations, { ...load, concurrency: 16 }, rounds);
    const figures = (figure: (name: TranslatedName) => number): Figures => ({
      translatedChat: figure('translatedChat'),
      translatedMessages: figure('translatedMessages'),
      translatedResponses: figure('translatedResponses'),
    });
    comparisons.push({
      label,
      cpuMicros: figures((name) => results[name]?.cpuMicros ?? Number.NaN),
      firstByteMs: figures((name) => percentile(results[name]?.timings.firstByte ?? [], 0.5)),
    });
  }
  return comparisons;
}

const maxRatio = 1.1;

/** Messages are compared with chats, and responses with messages. */
export function translatedTable(comparisons: readonly Comparison[]): string {
  return markdownTable(
    'Requests translated for Google: CPU per request, µs, and the first byte, p50, ms',
    [
      ...['', 'Chat', 'Messages', 'Ratio', 'Responses', 'Ratio to messages', 'Targets', 'Met'],
      ...['First byte: chat', 'Messages', 'Responses'],
    ],
    comparisons.map(({ label, cpuMicros, firstByteMs }) => {
      const {
        translatedChat: chat,
        translatedMessages: messages,
        translatedResponses: responses,
      } = cpuMicros;
      const ratios = [messages / chat, responses / messages];
      const [ofMessages = '', ofResponses = ''] = ratios.map((ratio) => ratio.toFixed(2));
      return [
        ...[label, chat.toFixed(0), messages.toFixed(0), ofMessages, responses.toFixed(0), ofResponses],
        `≤ ${maxRatio}`,
        ratios.every((ratio) => ratio <= maxRatio) ? 'yes' : 'no',
        firstByteMs.translatedChat.toFixed(2),
        firstByteMs.translatedMessages.toFixed(2),
        firstByteMs.translatedResponses.toFixed(2),
      ];
    }),
  );
}
