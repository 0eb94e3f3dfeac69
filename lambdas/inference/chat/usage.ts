/** Completes the usage of a chat response, and finds reported output that the limit of the request does not allow. */
import { estimateTokens } from '../completion/estimate.ts';
import type { KnownFacts } from '../completion/facts.ts';
import { completeUsage } from '../completion/usage.ts';
import type { ReceivedResponse } from '../operation.ts';
import type { ChatRequest } from './body.ts';
import { isAboveRequested, isOutputAboveLimit, withOutputWarning } from './output-limit.ts';
import { promptOf } from './prompt.ts';

export async function completeChatUsage(
  response: ReceivedResponse,
  request: ChatRequest,
): Promise<KnownFacts> {
  const known = completeUsage(response, promptOf(request));
  const { body: requestBody } = request;
  const { facts } = known;
  if (!isAboveRequested(facts, requestBody)) return known;
  const textTokens = () => estimateTokens(response.facts.textBytes ?? response.textBytes());
  const { outputLimit } = response;
  const isAboveLimit = await isOutputAboveLimit({ facts, requestBody, textTokens, outputLimit });
  return isAboveLimit ? { ...known, facts: withOutputWarning(facts) } : known;
}
