/** Writes an answer: a single body, or a stream of the events `text` and at last `end`. */
import type { ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { FinishReason } from '#lambdas/inference/completion/finish-reasons.ts';
import type { ChoiceSink, CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { createByteAccumulator } from '#lambdas/inference/providers/http/sse.ts';
import type { CreateWriter, ProviderCall } from '#lambdas/inference/providers/provider.ts';
import {
  type ChoiceState,
  createChoiceStates,
} from '#lambdas/inference/providers/translation/choice-states.ts';
import { sseComment } from '#lambdas/platform/http/event-stream.ts';
import { inputTokens } from '#lambdas/pricing/usage.ts';

/** The bytes of an answer in one of its two forms. */
interface OutputForm {
  text(delta: string): Buffer;
  end(ending: Ending): Buffer;
  ping: Buffer;
}

interface Ending {
  ended: 'complete' | 'cut' | 'filtered';
  /** `null` if the provider has not reported them. */
  tokens: { in: number; out: number } | null;
}

export function createResponseWriter(stream: boolean): CreateWriter {
  return (call, facts) => createWriter(call, facts, stream ? streamForm : createBodyForm());
}

export function responseEvent(type: 'text' | 'end' | 'problem', data: object): Buffer {
  return Buffer.from(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

const noBytes = Buffer.alloc(0);

/** The field of a single body. */
const textField = 'answer';

const streamForm: OutputForm = {
  text: (text) => responseEvent('text', { text }),
  end: (ending) => responseEvent('end', ending),
  ping: sseComment,
};

function createBodyForm(): OutputForm {
  let text = '';
  return {
    text(delta) {
      text += delta;
      return noBytes;
    },
    end: (ending) => Buffer.from(JSON.stringify({ [textField]: text, ...ending })),
    ping: noBytes,
  };
}

const endings: Readonly<Record<FinishReason, Ending['ended']>> = {
  stop: 'complete',
  tool_calls: 'complete',
  function_call: 'complete',
  length: 'cut',
  content_filter: 'filtered',
};

function createWriter(call: ProviderCall, facts: ReaderFacts, form: OutputForm): CompletionWriter {
  const states = createChoiceStates(call, { choices: 1, choosesFunction: false }, facts);
  const output = createByteAccumulator();
  const isOver = () => facts.ended || facts.error !== null;

  const end = () => {
    const [closed] = (isOver() ? null : states.close()) ?? [];
    if (closed === undefined) return;
    const { usage } = facts;
    const tokens = usage && { in: inputTokens(usage), out: usage.outputTokens };
    output.add(form.end({ ended: endings[closed.reason], tokens }));
    Object.assign(facts, { started: true, finished: true, ended: true });
  };
  return {
    facts,
    identify({ model }) {
      facts.responseModel = model || facts.responseModel;
    },
    choice(index) {
      return createChoiceSink(states.get(index), {
        facts,
        write(text) {
          // The answer is the first choice, the only one requested.
          if (index !== 0 || isOver()) return;
          facts.started = true;
          output.add(form.text(text));
        },
        finish: (word) => states.finish(index, word),
      });
    },
    fields() {},
    billing: (billing) => void Object.assign(facts, billing),
    fail(error) {
      if (!isOver()) facts.error = error;
    },
    ping() {
      if (!isOver()) output.add(form.ping);
    },
    end,
    endWhole() {
      if (!isOver()) states.finishOpen();
      end();
    },
    take: output.take,
  };
}

interface ChoiceOutput extends Pick<ChoiceSink, 'finish'> {
  facts: ReaderFacts;
  write(text: string): void;
}

/** Writes texts and refusals; everything else the model generates only counts. */
function createChoiceSink(state: ChoiceState, { facts, write, finish }: ChoiceOutput): ChoiceSink {
  const count = (text: string) => {
    facts.textBytes = (facts.textBytes ?? 0) + Buffer.byteLength(text);
    state.addOutput();
  };
  const writeText = (delta: string) => {
    if (delta === '') return;
    count(delta);
    write(delta);
  };
  return {
    begin() {},
    text: writeText,
    refusal: writeText,
    reasoning(delta) {
      if (delta !== '') count(delta);
    },
    audio: ({ transcript = '' }) => count(transcript),
    media: () => count(''),
    signature() {},
    omit() {},
    toolCall({ id }) {
      state.addToolCall(id ?? '');
      return { name() {}, arguments: count };
    },
    stopSequence() {},
    extra() {},
    logprobs() {},
    finish,
  };
}
