/** A provider on loopback that speaks OpenAI's chat completions protocol. */

import { startUpstream, type Upstream } from '../upstream.ts';
import { openaiProtocol, type UpstreamBehaviour } from './openai-protocol.ts';

export type OpenAIUpstream = Upstream<UpstreamBehaviour>;

export function startOpenAIUpstream(behaviour: UpstreamBehaviour = {}): Promise<OpenAIUpstream> {
  return startUpstream(openaiProtocol, behaviour);
}
