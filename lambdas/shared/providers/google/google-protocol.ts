import type { CreateProtocol } from '../protocol.ts';

export const createGoogleProtocol: CreateProtocol = () => () => {
  throw new Error('replaced by the next commit');
};
