/** The response object, which repeats what the request asks for: https://platform.openai.com/docs/api-reference/responses/object */
import { isAbsent } from '#lambdas/platform/json/fields.ts';
import { filterObjects, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';

/** The fields that repeat the request, with the API's default values. `body` is the request's. */
export function repeatedFields(body: JsonObject): JsonObject {
  const given = (name: string, defaultValue: unknown) => (isAbsent(body[name]) ? defaultValue : body[name]);
  const { format, ...text } = objectOrEmpty(body.text);
  const reasoning = objectOrEmpty(body.reasoning);
  return {
    background: false,
    frequency_penalty: given('frequency_penalty', 0),
    instructions: given('instructions', null),
    max_output_tokens: given('max_output_tokens', null),
    max_tool_calls: given('max_tool_calls', null),
    metadata: given('metadata', {}),
    parallel_tool_calls: given('parallel_tool_calls', true),
    presence_penalty: given('presence_penalty', 0),
    previous_response_id: null,
    prompt_cache_key: given('prompt_cache_key', null),
    prompt_cache_retention: given('prompt_cache_retention', null),
    reasoning: { ...reasoning, effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    safety_identifier: hasAcceptedLength(body.safety_identifier) ? body.safety_identifier : null,
    // Nothing is kept, whatever the request asks for.
    store: false,
    temperature: given('temperature', 1),
    text: { format: format ?? { type: 'text' }, verbosity: 'medium', ...text },
    tool_choice: given('tool_choice', 'auto'),
    tools: filterObjects(body.tools).map(withAllFields),
    top_logprobs: given('top_logprobs', 0),
    top_p: given('top_p', 1),
    truncation: given('truncation', 'disabled'),
    user: given('user', null),
  };
}

/** A longer one is not sent to a provider with a limit, and the schema of a response does not allow it. */
function hasAcceptedLength(identifier: unknown): boolean {
  return typeof identifier === 'string' && identifier.length <= 64;
}

/** A function has all fields in a response. */
function withAllFields(tool: JsonObject): JsonObject {
  if (tool.type !== 'function') return tool;
  const { description = null, parameters = null, strict = null } = tool;
  return { ...tool, description, parameters, strict };
}

const serviceTiers = ['auto', 'default', 'flex', 'scale', 'priority', 'fast'];

/** `tier` is the provider's name; `null` if it states none. */
export function serviceTierOf(tier: string | null): string {
  const name = tier?.toLowerCase() ?? '';
  return serviceTiers.includes(name) ? name : 'default';
}
