import type { CreateProtocol } from '../protocol.ts';

export const createBedrockProtocol: CreateProtocol = () => () => {
  throw new Error('replaced by the next commit');
};
