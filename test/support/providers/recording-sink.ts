/** A sink that records what a reader writes to its choices. */
import type { ChoiceSink, CompletionSink } from '#lambdas/inference/completion/sink.ts';

/** The name of the method, and its arguments. */
export type SinkCall = [method: string, ...args: unknown[]];

/** All choices are recorded in one list. Empty deltas, which sinks ignore, are left out. */
export function recordSink(): { sink: CompletionSink; calls: SinkCall[] } {
  const calls: SinkCall[] = [];
  const record =
    (method: string) =>
    (...args: unknown[]) => {
      if (args[0] !== '') calls.push([method, ...args]);
    };
  const choice: ChoiceSink = {
    begin: record('begin'),
    text: record('text'),
    reasoning: record('reasoning'),
    refusal: record('refusal'),
    audio: record('audio'),
    media: record('media'),
    signature: record('signature'),
    omit: record('omit'),
    toolCall(call) {
      calls.push(['toolCall', call]);
      return { name: record('name'), arguments: record('arguments') };
    },
    stopSequence: record('stopSequence'),
    extra: record('extra'),
    logprobs: record('logprobs'),
    finish: record('finish'),
  };
  const sink: CompletionSink = {
    identify() {},
    choice: () => choice,
    fields() {},
    billing() {},
    fail(error) {
      throw error;
    },
  };
  return { sink, calls };
}
