/** The common part of all formats whose responses are a list of parts in order. */
import { describe, expect, it } from 'vitest';
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import type { Ending, NewPart, OrderedFormat } from '#lambdas/inference/ordered-output/format.ts';
import { createOrderedWriter } from '#lambdas/inference/ordered-output/writer.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { WriteScript } from '#test/support/messages/write.ts';
import { signature } from '#test/support/providers/neutral-request.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

interface Recorded {
  writer: CompletionWriter;
  log: string[];
  endings: Ending[];
}

interface RecordOptions {
  stream?: boolean;
  refusalKind?: OrderedFormat['refusalKind'];
}

const nameOf = (part: NewPart) => (part.kind === 'call' ? `call ${part.name}` : part.kind);

/** A format that only logs what it is told. */
function record({ stream = true, refusalKind = 'refusal' }: RecordOptions = {}): Recorded {
  const log: string[] = [];
  const endings: Ending[] = [];
  const format: OrderedFormat = {
    noun: 'a list',
    refusalKind,
    start: ({ model, usage }) => log.push(`start ${model} ${usage.freshInputTokens}`),
    begin: (part) => ({
      open: () => log.push(`open ${nameOf(part)}`),
      write: ({ kind, text }) => log.push(`${kind} ${text}`),
      close: (isCutOff) => log.push(isCutOff ? 'cut' : 'close'),
    }),
    signatureOf: (owner, payload) =>
      `${typeof owner === 'string' ? owner : owner.callId}=${payload?.data ?? 'none'}`,
    end(ending) {
      endings.push(ending);
      log.push('end');
    },
    ping: () => log.push('ping'),
    take: () => Buffer.from(''),
  };
  const facts = startReaderFacts();
  const call = providerCall({});
  const writer = createOrderedWriter({ call, facts, stream, format, estimateInputTokens: () => 40 });
  return { writer, log, endings };
}

function written(script: WriteScript, options: RecordOptions = {}) {
  const recorded = record(options);
  script(recorded.writer.choice(0), recorded.writer);
  recorded.writer.end();
  return { ...recorded, facts: recorded.writer.facts };
}

const usage = { ...noUsage, freshInputTokens: 7, outputTokens: 3 };

describe('An ordered output', () => {
  it('starts once, with the model and the usage that are known', () => {
    for (const stream of [true, false]) {
      const { writer, log } = record({ stream });
      writer.identify({ model: 'served-model' });
      writer.choice(0).begin();
      expect(log).toEqual(stream ? ['start served-model 40'] : []);
      writer.billing({ usage });
      writer.choice(0).text('Hi');
      writer.choice(0).finish('stop');
      writer.end();
      expect(log.slice(0, 2)).toEqual([`start served-model ${stream ? 40 : 7}`, 'open text']);
      expect(log.at(-1)).toBe('end');
      expect(writer.facts).toMatchObject({ started: true, finished: true, ended: true, error: null });
    }
  });

  it('has its parts in order, with the signatures that belong to them', () => {
    const { log } = written((choice) => {
      choice.reasoning('Hm');
      choice.text('Hi');
      choice.signature(signature('t', 'google'));
      const a = choice.toolCall({ id: 'a', name: 'look', payload: signature('c', 'google') });
      choice.signature({ format: 'anthropic', kind: 'redacted', data: 'r' });
      a.arguments('{}');
      choice.finish('tool_calls');
    });
    expect(log.slice(1)).toEqual([
      ...['open reasoning', 'text Hm', 'signature thinking=none', 'close'],
      ...['open text', 'text Hi', 'close'],
      ...['open reasoning', 'signature text=ta=c', 'close'],
      ...['open call look', 'text {}', 'close', 'open redacted', 'close', 'end'],
    ]);
  });

  it('has the data of hidden reasoning in front of a text, not at the text before it', () => {
    const { log } = written((choice) => {
      choice.text('One');
      choice.signature({ format: 'responses', kind: 'encrypted', data: 'e' });
      choice.text('Two');
      choice.finish('stop');
    });
    expect(log.slice(1, -1)).toEqual([
      ...['open text', 'text One', 'close'],
      ...['open reasoning', 'signature thinking=e', 'close'],
      ...['open text', 'text Two', 'close'],
    ]);
  });

  it.each([
    ['refusal', ['open text', 'text Well', 'close', 'open refusal', 'text No', 'close']],
    ['text', ['open text', 'text Well', 'text No', 'close']],
  ] as const)('has a refusal as %s', (refusalKind, log) => {
    const script: WriteScript = (choice) => {
      choice.text('Well');
      choice.refusal('No');
      choice.finish('stop');
    };
    const result = written(script, { refusalKind });
    expect(result.log.slice(1, -1)).toEqual(log);
    expect(result.endings).toMatchObject([{ isRefusal: true }]);
  });

  it('tells how it has ended', () => {
    const end = (script: WriteScript) => written(script).endings[0];
    expect(
      end((choice, writer) => {
        choice.text('é🙂');
        choice.stopSequence('END');
        choice.finish('stop_sequence');
        writer.billing({ usage });
      }),
    ).toEqual({
      reason: 'stop',
      word: 'stop_sequence',
      hasCalls: false,
      isRefusal: false,
      stopSequence: 'END',
      usage,
    });
    expect(
      end((choice) => {
        choice.toolCall({ id: 'a', name: 'look' }).arguments('{"n":12345678}');
        choice.finish('length');
      }),
    ).toEqual({
      reason: 'length',
      word: 'length',
      hasCalls: true,
      isRefusal: false,
      stopSequence: null,
      usage: { ...noUsage, freshInputTokens: 40, outputTokens: 4 },
    });
  });

  it.each([
    ['length', 'cut'],
    ['content_filter', 'cut'],
    ['stop', 'close'],
  ])('that ends with %s has a last part that is %s', (word, close) => {
    const { log } = written((choice) => {
      choice.reasoning('Hm');
      choice.text('Hi');
      choice.finish(word);
    });
    expect(log.filter((entry) => entry === 'cut' || entry === 'close')).toEqual(['close', close]);
  });

  it('shows that the provider is working until it has ended', () => {
    const { writer, log } = record();
    writer.ping();
    writer.choice(0).finish('stop');
    writer.end();
    writer.ping();
    expect(log).toEqual(['ping', 'start a-model 40', 'end']);
  });
});
