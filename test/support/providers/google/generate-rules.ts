/** What the Gemini API refuses in a request of the right shape, in its words, which are from recorded refusals. */
import type { Content, GenerateContentRequest } from './generate-content.ts';

interface Case {
  request: GenerateContentRequest;
  config: NonNullable<GenerateContentRequest['generationConfig']>;
  calling: { mode?: string | undefined; allowedFunctionNames?: string[] | undefined };
  /** The names of the declared functions. */
  declared: string[];
  model: string;
}

/** `gemma-3-27b-it` is none; the aliases for the latest models are newer than all. */
function generationOf(model: string): number {
  if (model.startsWith('gemma-')) return 0;
  return Number(/^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? Number.POSITIVE_INFINITY);
}

/** https://ai.google.dev/gemini-api/docs/thinking: levels, or the least and the most tokens. */
const thinking: [models: RegExp, takes: string[] | [number, number] | null][] = [
  [/^gemma-4/, ['MINIMAL', 'HIGH']],
  [/^gemma-|^gemini-(1|2\.0)|^learnlm/, null],
  [/^gemini-2\.5-pro/, [128, 32_768]],
  [/^gemini-2\.5/, [0, 24_576]],
  [/^gemini-3-pro/, ['LOW', 'HIGH']],
  [/lite|^gemini-3(\.[0-6])?-flash/, ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']],
  [/./, ['LOW', 'MEDIUM', 'HIGH']],
];

/** Each returns the refusal's text if the request breaks the rule. */
const rules: ((it: Case) => string | null | undefined | false)[] = [
  ({ request, model }) =>
    request.systemInstruction !== undefined &&
    model.startsWith('gemma-') &&
    `Developer instruction is not enabled for models/${model}`,
  ({ request }) => turnsRefusal(request.contents),
  ({ request, model }) =>
    request.contents.at(-1)?.role === 'model' &&
    generationOf(model) >= 3.7 &&
    'Requests ending with a model turn are not supported.',
  ({ request, model }) => signatureRefusal(request.contents, generationOf(model) >= 3),
  // A `$ref` in a result names one of its parts. https://github.com/vercel/ai/issues/14369
  ({ request }) =>
    request.contents.some(({ parts }) =>
      parts.some((part) => JSON.stringify(part.functionResponse?.response ?? '').includes('"$ref":')),
    ) && 'The referenced name in function_response.response does not match to a display_name.',
  ({ declared }) => new Set(declared).size < declared.length && 'Duplicate function declaration found',
  ({ calling: { allowedFunctionNames = [] }, declared }) =>
    allowedFunctionNames.some((name) => !declared.includes(name)) &&
    'allowed_function_names should be a subset of the provided function_declarations',
  ({ config: { candidateCount = 1 }, model }) =>
    candidateCount > 1 &&
    (generationOf(model) >= 3 || generationOf(model) === 0) &&
    'Multiple candidates is not enabled for this model',
  ({ config: { presencePenalty, frequencyPenalty }, model }) =>
    (presencePenalty !== undefined || frequencyPenalty !== undefined) &&
    generationOf(model) === 2.5 &&
    `Penalty is not enabled for models/${model}`,
  ({ config, model }) => thinkingRefusal(config.thinkingConfig, model),
  ({ config: { responseMimeType }, declared, calling, model }) =>
    responseMimeType === 'application/json' &&
    declared.length > 0 &&
    (generationOf(model) < 3 || calling.mode === 'ANY') &&
    "Function calling with a response mime type: 'application/json' is unsupported",
];

/** The refusal's text, or `null`; the status is 400 INVALID_ARGUMENT in every case. */
export function refusalOf(request: GenerateContentRequest, name: string): string | null {
  const { generationConfig: config = {}, toolConfig } = request;
  const model = name.slice(name.lastIndexOf('/') + 1);
  const calling = toolConfig?.functionCallingConfig ?? {};
  const it = { request, config, calling, declared: declaredIn(request), model };
  for (const rule of rules) {
    const refusal = rule(it);
    if (refusal) return refusal;
  }
  return null;
}

export function declaredIn({ tools = [] }: GenerateContentRequest): string[] {
  return tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
}

export function countOf({ parts }: Content, kind: 'functionCall' | 'functionResponse'): number {
  return parts.filter((part) => part[kind] !== undefined).length;
}

/** Calls follow a user, and as many results follow the calls, in one turn. Turns of one role are not joined. */
function turnsRefusal(contents: Content[]): string | null {
  for (const [index, content] of [...contents, { parts: [] }].entries()) {
    const before = contents[index - 1];
    const callsBefore = before === undefined ? 0 : countOf(before, 'functionCall');
    if (countOf(content, 'functionResponse') !== callsBefore) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
    if (countOf(content, 'functionCall') > 0 && (before === undefined || before.role === 'model')) {
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    }
  }
  return null;
}

/** Accepted where there is no signature: https://ai.google.dev/gemini-api/docs/thought-signatures#faqs */
const placeholder = 'skip_thought_signature_validator';

/** The first call of each step of the current turn, which begins after the newest question, needs a signature. */
function signatureRefusal(contents: Content[], needsSignatures: boolean): string | null {
  const turnStart = contents.findLastIndex(
    ({ role, parts }) => role !== 'model' && parts.some((part) => part.functionResponse === undefined),
  );
  for (const [index, { role, parts }] of contents.entries()) {
    const signatures = parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []);
    // Signatures are protobuf, of which the recorded ones show the first byte.
    if (signatures.some((it) => it !== placeholder && !/^[ACE]/.test(it)))
      return 'Corrupted thought signature.';
    const call = parts.find(({ functionCall }) => functionCall !== undefined);
    const isChecked = needsSignatures && role === 'model' && index > turnStart && call !== undefined;
    if (isChecked && !call.thoughtSignature) return 'Function call is missing a thought_signature.';
  }
  return null;
}

function thinkingRefusal(config: Case['config']['thinkingConfig'], model: string): string | null {
  if (config === undefined) return null;
  const { thinkingBudget: budget, thinkingLevel: level, includeThoughts } = config;
  const takes = thinking.find(([models]) => models.test(model))?.[1] ?? null;
  if (takes === null) return 'Thinking is not enabled for this model';
  const [least, most] = takes;
  if (typeof least === 'number' && typeof most === 'number') {
    if (level !== undefined) return 'Thinking level is not supported for this model.';
    if (budget === 0 && includeThoughts) return 'Include_thoughts is only enabled when thinking is enabled.';
    return budget === undefined || (budget >= least && budget <= most)
      ? null
      : `The thinking budget ${budget} is invalid.`;
  }
  const isTaken = level === undefined || takes.some((it) => it === level.toUpperCase());
  return isTaken ? null : `Thinking level ${level} is not supported for this model.`;
}
