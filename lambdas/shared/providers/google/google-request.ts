/** A chat completion request as a `GenerateContentRequest`: https://ai.google.dev/api/generate-content */
import type { JsonObject } from '../../domain/json.ts';
import type { ProviderCall } from '../provider.ts';
import { type CompletionRequest, readCompletionRequest } from '../translation/completion-request.ts';
import { ignoredParameters } from '../translation/parameters.ts';
import { withProviderFields } from '../translation/provider-fields.ts';
import { googleContents } from './google-contents.ts';
import { generationConfig } from './google-generation-config.ts';
import { leftOut } from './google-left-out.ts';
import { googlePart } from './google-media.ts';
import { type GoogleModel, googleModel } from './google-models.ts';
import { ownFields, saysThinking } from './google-own-fields.ts';
import { googleToolUse } from './google-tools.ts';

export interface GoogleRequest {
  body: JsonObject;
  ignoredParameters: string[];
}

/** Parameters of OpenAI's that the API has, whatever the model. */
const taken = [
  'max_completion_tokens',
  'max_tokens',
  'n',
  'response_format',
  'seed',
  'stop',
  'temperature',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
];

/** Throws a `GatewayError` (400) that names what Gemini cannot be asked for. */
export function writeGoogleRequest({ request, model: name }: ProviderCall, provider: string): GoogleRequest {
  const asked = readCompletionRequest(request.body);
  const model = googleModel(name);
  const own = ownFields(asked.providerFields);
  const effort = saysThinking(own) ? null : asked.reasoningEffort;
  const thinking = effort === null ? undefined : model.thinkingByEffort[effort];
  const config = generationConfig(asked, { model, thinking });
  const written = {
    ...conversation(asked, model),
    ...googleToolUse(asked),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
  const takenHere = new Set([
    ...taken,
    ...(thinking === undefined ? [] : ['reasoning_effort']),
    ...(model.takesPenalties ? ['frequency_penalty', 'presence_penalty'] : []),
    // Without tools there is nothing to call one after the other.
    ...(asked.tools.length === 0 ? ['parallel_tool_calls'] : []),
  ]);
  return {
    body: withProviderFields(written, own),
    ignoredParameters: [
      ...ignoredParameters(request.body, { provider, taken: takenHere }),
      ...leftOut(asked),
    ],
  };
}

/** A model that takes no system instruction reads it at the head of the first user turn, and so does one that is told nothing else. */
function conversation({ system, turns }: CompletionRequest, model: GoogleModel): JsonObject {
  const instructions = system.map(googlePart);
  const contents = googleContents(turns, model);
  if (instructions.length === 0) return { contents };
  if (contents.length === 0) return { contents: [{ role: 'user', parts: instructions }] };
  if (model.takesSystemInstruction) return { systemInstruction: { parts: instructions }, contents };
  const [first, ...rest] = turns;
  if (first?.role !== 'user') return { contents: [{ role: 'user', parts: instructions }, ...contents] };
  return { contents: googleContents([{ ...first, parts: [...system, ...first.parts] }, ...rest], model) };
}
