/** Rules by which the Gemini API rejects a well-formed request. Messages are from recorded rejections. */
import type { Content, GenerateContentRequest } from './request-schema.ts';

interface Validation {
  request: GenerateContentRequest;
  config: NonNullable<GenerateContentRequest['generationConfig']>;
  calling: { mode?: string | undefined; allowedFunctionNames?: string[] | undefined };
  declaredNames: string[];
  model: string;
}

/** Returns 0 for Gemma, and infinity for aliases of the latest model. */
function parseGeneration(model: string): number {
  if (model.startsWith('gemma-')) return 0;
  return Number(/^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? Number.POSITIVE_INFINITY);
}

/** Accepted thinking levels, or the range of the token budget. https://ai.google.dev/gemini-api/docs/thinking */
const thinkingOptions: [models: RegExp, accepted: string[] | [number, number] | null][] = [
  [/^gemma-4/, ['MINIMAL', 'HIGH']],
  [/^gemma-|^gemini-(1|2\.0)|^learnlm/, null],
  [/^gemini-2\.5-pro/, [128, 32_768]],
  [/^gemini-2\.5/, [0, 24_576]],
  [/^gemini-3-pro/, ['LOW', 'HIGH']],
  [/lite|^gemini-3(\.[0-6])?-flash/, ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']],
  [/./, ['LOW', 'MEDIUM', 'HIGH']],
];

/** Each returns the error message if the request violates the rule. */
const rules: ((validation: Validation) => string | null | undefined | false)[] = [
  ({ request, model }) =>
    request.systemInstruction !== undefined &&
    model.startsWith('gemma-') &&
    `Developer instruction is not enabled for models/${model}`,
  ({ request }) => turnsRejection(request.contents),
  ({ request, model }) =>
    request.contents.at(-1)?.role === 'model' &&
    parseGeneration(model) >= 3.7 &&
    'Requests ending with a model turn are not supported.',
  ({ request, model }) => signatureRejection(request.contents, parseGeneration(model) >= 3),
  // A `$ref` in a function response must name one of its parts. https://github.com/vercel/ai/issues/14369
  ({ request }) =>
    request.contents.some(({ parts }) =>
      parts.some((part) => JSON.stringify(part.functionResponse?.response ?? '').includes('"$ref":')),
    ) && 'The referenced name in function_response.response does not match to a display_name.',
  ({ declaredNames }) =>
    new Set(declaredNames).size < declaredNames.length && 'Duplicate function declaration found',
  ({ calling: { allowedFunctionNames = [] }, declaredNames }) =>
    allowedFunctionNames.some((name) => !declaredNames.includes(name)) &&
    'allowed_function_names should be a subset of the provided function_declarations',
  ({ config: { candidateCount = 1 }, model }) =>
    candidateCount > 1 &&
    (parseGeneration(model) >= 3 || parseGeneration(model) === 0) &&
    'Multiple candidates is not enabled for this model',
  ({ config: { presencePenalty, frequencyPenalty }, model }) =>
    (presencePenalty !== undefined || frequencyPenalty !== undefined) &&
    parseGeneration(model) === 2.5 &&
    `Penalty is not enabled for models/${model}`,
  ({ config, model }) => thinkingRejection(config.thinkingConfig, model),
  ({ config: { responseMimeType }, declaredNames, calling, model }) =>
    responseMimeType === 'application/json' &&
    declaredNames.length > 0 &&
    (parseGeneration(model) < 3 || calling.mode === 'ANY') &&
    "Function calling with a response mime type: 'application/json' is unsupported",
];

export function findRejection(request: GenerateContentRequest, name: string): string | null {
  const { generationConfig: config = {}, toolConfig } = request;
  const model = name.slice(name.lastIndexOf('/') + 1);
  const calling = toolConfig?.functionCallingConfig ?? {};
  const validation = { request, config, calling, declaredNames: declaredFunctions(request), model };
  for (const rule of rules) {
    const rejection = rule(validation);
    if (rejection) return rejection;
  }
  return null;
}

export function declaredFunctions({ tools = [] }: GenerateContentRequest): string[] {
  return tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
}

export function countParts({ parts }: Content, kind: 'functionCall' | 'functionResponse'): number {
  return parts.filter((part) => part[kind] !== undefined).length;
}

/** Requires function calls to follow a user turn, and the same number of results to follow in one turn. */
function turnsRejection(contents: Content[]): string | null {
  for (const [index, content] of [...contents, { parts: [] }].entries()) {
    const previous = contents[index - 1];
    const previousCalls = previous === undefined ? 0 : countParts(previous, 'functionCall');
    if (countParts(content, 'functionResponse') !== previousCalls) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
    if (countParts(content, 'functionCall') > 0 && (previous === undefined || previous.role === 'model')) {
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    }
  }
  return null;
}

/** The API accepts this in place of a signature. https://ai.google.dev/gemini-api/docs/thought-signatures#faqs */
const placeholder = 'skip_thought_signature_validator';

/** Requires a signature on the first call of each step of the current turn, which starts at the last user message. */
function signatureRejection(contents: Content[], needsSignatures: boolean): string | null {
  const turnStart = contents.findLastIndex(
    ({ role, parts }) => role !== 'model' && parts.some((part) => part.functionResponse === undefined),
  );
  for (const [index, { role, parts }] of contents.entries()) {
    const signatures = parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []);
    // Signatures are base64 of protobuf; the first byte of the recorded ones limits the first letter.
    if (signatures.some((signature) => signature !== placeholder && !/^[ACE]/.test(signature)))
      return 'Corrupted thought signature.';
    const call = parts.find(({ functionCall }) => functionCall !== undefined);
    const isChecked = needsSignatures && role === 'model' && index > turnStart && call !== undefined;
    if (isChecked && !call.thoughtSignature) return 'Function call is missing a thought_signature.';
  }
  return null;
}

function thinkingRejection(config: Validation['config']['thinkingConfig'], model: string): string | null {
  if (config === undefined) return null;
  const { thinkingBudget: budget, thinkingLevel: level, includeThoughts } = config;
  const accepted = thinkingOptions.find(([models]) => models.test(model))?.[1] ?? null;
  if (accepted === null) return 'Thinking is not enabled for this model';
  const [min, max] = accepted;
  if (typeof min === 'number' && typeof max === 'number') {
    if (level !== undefined) return 'Thinking level is not supported for this model.';
    if (budget === 0 && includeThoughts) return 'Include_thoughts is only enabled when thinking is enabled.';
    return budget === undefined || (budget >= min && budget <= max)
      ? null
      : `The thinking budget ${budget} is invalid.`;
  }
  const isAccepted = level === undefined || accepted.some((it) => it === level.toUpperCase());
  return isAccepted ? null : `Thinking level ${level} is not supported for this model.`;
}
