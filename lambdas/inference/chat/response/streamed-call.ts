/** Writes a call of a function, or of a custom tool, as deltas: https://platform.openai.com/docs/api-reference/chat/streaming */
import { defaultArguments, type FinishReason } from '#lambdas/inference/completion/finish-reasons.ts';
import type { ToolCallSink } from '#lambdas/inference/completion/sink.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

export interface StreamedCall extends ToolCallSink {
  /** Writes its start, which has its whole name, since clients replace a name instead of concatenating it. */
  open(): void;
  close(reason: FinishReason): void;
}

interface CallStart {
  id: string;
  name: string;
  isCustom: boolean;
  extra: JsonObject;
}

/** `write` receives the members of a delta. */
export function createStreamedCall(start: CallStart, write: (change: JsonObject) => void): StreamedCall {
  const { id, isCustom, extra } = start;
  const type = isCustom ? 'custom' : 'function';
  const inputName = isCustom ? 'input' : 'arguments';
  let { name } = start;
  let isOpen = false;
  let hasArguments = false;
  /** Blank arguments, which are held back until it is known that others follow. */
  let blank = '';
  const writeInput = (delta: string) => {
    // The text of a custom tool may begin with a blank.
    if (!hasArguments && !isCustom && delta.trim() === '') {
      blank += delta;
      return;
    }
    const text = blank + delta;
    blank = '';
    hasArguments = true;
    open();
    if (text !== '') write({ [type]: { [inputName]: text } });
  };
  const open = () => {
    if (isOpen) return;
    isOpen = true;
    write({ id, type, [type]: { name, [inputName]: '' }, ...extra });
  };
  return {
    open,
    name(delta) {
      name += delta;
    },
    arguments: writeInput,
    close(reason) {
      open();
      blank = '';
      if (!hasArguments && !isCustom) writeInput(defaultArguments(reason));
    },
  };
}
