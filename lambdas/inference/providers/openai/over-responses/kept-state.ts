/**
 * Refuses fields by which a request in another format would reach what the provider keeps, perhaps for another organization:
 * only the operation for responses knows whose it is.
 */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { bodyMembers } from '#lambdas/inference/request-body.ts';
import { findReferences, type References } from '#lambdas/inference/responses/references.ts';
import { unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { foldCase } from '#lambdas/platform/json/loose-json.ts';

/** The parameters by which a request refers to what is kept. */
const parameters: Readonly<Record<keyof References, string>> = {
  responses: 'previous_response_id',
  compared: 'prompt_cache_options.comparison_response_id',
  items: 'input',
  conversations: 'conversation',
  containers: 'tools',
};

/** Throws a `GatewayError` (400) that names the first such field. */
export function refuseKeptState({ providerFields, settings, tools }: CompletionRequest): void {
  const hosted = tools.flatMap((tool) => (tool.type === 'hosted' ? [tool.definition] : []));
  const options = settings.filter(({ key }) => key === 'promptCacheOptions').map(({ value }) => value);
  if (Object.keys(providerFields).length + hosted.length + options.length === 0) return;
  const background = Object.keys(providerFields).find((name) => foldCase(name) === 'background');
  if (background !== undefined) throw keptStateError(background);
  const given = {
    ...providerFields,
    ...(hosted.length > 0 && { tools: hosted }),
    ...(options.length > 0 && { prompt_cache_options: options[0] }),
  };
  const found = referencesIn(given);
  const kind = Object.entries(parameters).find(([name]) => found[name as keyof References].length > 0);
  if (kind !== undefined) throw keptStateError(kind[1]);
}

function referencesIn(given: JsonObject): References {
  const text = JSON.stringify(given);
  // Parsed again, since the fields may contain raw numbers.
  const body = parseJsonObject(text) ?? {};
  return findReferences({ text, body, members: bodyMembers(text), model: '', stream: false }, 'items');
}

function keptStateError(param: string) {
  return unsupportedParameterError(
    param,
    `${param} refers to what the provider keeps, which a request in this format cannot use: send it to POST /ai/responses`,
  );
}
