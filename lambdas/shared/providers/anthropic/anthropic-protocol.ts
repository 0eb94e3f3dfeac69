import type { CreateProtocol } from '../protocol.ts';

export const createAnthropicProtocol: CreateProtocol = () => () => {
  throw new Error('replaced by the next commit');
};
