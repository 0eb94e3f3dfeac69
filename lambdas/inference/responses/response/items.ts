/** Writes the parts of an output as items, each from `output_item.added` to `output_item.done`. */
import type { NewPart, PartWriter } from '#lambdas/inference/ordered-output/format.ts';
import type {
  ContentPart,
  CustomCallItem,
  FunctionCallItem,
  ItemStatus,
  MessageItem,
  OutputItem,
  ReasoningItem,
  WriteItemEvent,
} from './events.ts';
import { createTextArgument } from './text-argument.ts';

interface ItemContext {
  write: WriteItemEvent;
  /** Returns the id of the item. */
  idOf(kind: 'msg' | 'rs' | 'fc' | 'ctc'): string;
  isCustom(tool: { name: string; namespace: string | null }): boolean;
  /** Called with each item once it is complete. */
  done(item: OutputItem): void;
}

export function createItemWriter(part: NewPart, context: ItemContext): PartWriter {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return createMessageWriter(part.kind, context);
    case 'reasoning':
      return createReasoningWriter('', context);
    case 'redacted':
      return createReasoningWriter(part.signature, context);
    case 'call':
      return context.isCustom(part) ? createCustomCallWriter(part, context) : createCallWriter(part, context);
    default:
      return part satisfies never;
  }
}

function finalStatus(isCutOff: boolean): ItemStatus {
  return isCutOff ? 'incomplete' : 'completed';
}

function createMessageWriter(kind: 'text' | 'refusal', { write, idOf, done }: ItemContext): PartWriter {
  const message: MessageItem = {
    id: idOf('msg'),
    type: 'message',
    status: 'in_progress',
    role: 'assistant',
    content: [],
  };
  const at = { item_id: message.id, content_index: 0 };
  const isText = kind === 'text';
  const event = isText ? 'output_text' : 'refusal';
  /** Chat completions have them in another form. */
  const logprobs = isText ? { logprobs: [] } : {};
  const partOf = (text: string): ContentPart =>
    isText
      ? { type: 'output_text', text, annotations: [], logprobs: [] }
      : { type: 'refusal', refusal: text };
  const deltas: string[] = [];
  return {
    open() {
      write('response.output_item.added', { item: message });
      write('response.content_part.added', { ...at, part: partOf('') });
    },
    write({ text }) {
      deltas.push(text);
      write(`response.${event}.delta`, { ...at, delta: text, ...logprobs });
    },
    close(isCutOff) {
      const text = deltas.join('');
      const part = partOf(text);
      write(`response.${event}.done`, { ...at, [isText ? 'text' : 'refusal']: text, ...logprobs });
      write('response.content_part.done', { ...at, part });
      done({ ...message, status: finalStatus(isCutOff), content: [part] });
    },
  };
}

/** The provider's text is a summary, since OpenAI's models show their reasoning in no other form. */
function createReasoningWriter(redacted: string, { write, idOf, done }: ItemContext): PartWriter {
  const reasoning: ReasoningItem = {
    id: idOf('rs'),
    type: 'reasoning',
    status: 'in_progress',
    summary: [],
    encrypted_content: redacted,
  };
  const at = { item_id: reasoning.id, summary_index: 0 };
  const partOf = (text: string) => ({ type: 'summary_text', text }) as const;
  const deltas: string[] = [];
  let encrypted = redacted;
  return {
    open: () => write('response.output_item.added', { item: reasoning }),
    write({ kind, text }) {
      if (kind === 'signature') {
        encrypted = text;
        return;
      }
      if (deltas.length === 0) write('response.reasoning_summary_part.added', { ...at, part: partOf('') });
      deltas.push(text);
      write('response.reasoning_summary_text.delta', { ...at, delta: text });
    },
    close(isCutOff) {
      const text = deltas.join('');
      const summary = deltas.length === 0 ? [] : [partOf(text)];
      if (deltas.length > 0) {
        write('response.reasoning_summary_text.done', { ...at, text });
        write('response.reasoning_summary_part.done', { ...at, part: partOf(text) });
      }
      done({ ...reasoning, status: finalStatus(isCutOff), summary, encrypted_content: encrypted });
    },
  };
}

type CallPart = Extract<NewPart, { kind: 'call' }>;

function nameOf({ id, name, namespace }: CallPart): Pick<FunctionCallItem, 'call_id' | 'name' | 'namespace'> {
  return { call_id: id, name, ...(namespace !== null && { namespace }) };
}

function createCallWriter(part: CallPart, { write, idOf, done }: ItemContext): PartWriter {
  const call: FunctionCallItem = {
    id: idOf('fc'),
    type: 'function_call',
    status: 'in_progress',
    ...nameOf(part),
    arguments: '',
  };
  const at = { item_id: call.id };
  const deltas: string[] = [];
  const add = (delta: string) => {
    deltas.push(delta);
    write('response.function_call_arguments.delta', { ...at, delta });
  };
  return {
    open: () => write('response.output_item.added', { item: call }),
    write: ({ text }) => add(text),
    close(isCutOff) {
      // A call that was cut off must not look as if it had no arguments.
      if (deltas.length === 0 && !isCutOff) add('{}');
      const text = deltas.join('');
      write('response.function_call_arguments.done', { ...at, name: part.name, arguments: text });
      done({ ...call, status: finalStatus(isCutOff), arguments: text });
    },
  };
}

function createCustomCallWriter(part: CallPart, { write, idOf, done }: ItemContext): PartWriter {
  const call: CustomCallItem = {
    id: idOf('ctc'),
    type: 'custom_tool_call',
    status: 'in_progress',
    ...nameOf(part),
    input: '',
  };
  const at = { item_id: call.id };
  const argument = createTextArgument();
  const deltas: string[] = [];
  const add = (delta: string) => {
    if (delta === '') return;
    deltas.push(delta);
    write('response.custom_tool_call_input.delta', { ...at, delta });
  };
  return {
    open: () => write('response.output_item.added', { item: call }),
    write: ({ text }) => add(argument.push(text)),
    close(isCutOff) {
      add(argument.rest());
      const input = deltas.join('');
      write('response.custom_tool_call_input.done', { ...at, input });
      done({ ...call, status: finalStatus(isCutOff), input });
    },
    hasValidArguments: argument.isValid,
  };
}
