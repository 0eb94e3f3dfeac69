import { useRef } from 'react';

/** Returns the value, and the last one while it is null: the content of a dialog that is fading out. */
export function useLast<Value>(value: Value | null): Value | null {
  const last = useRef(value);
  if (value !== null) last.current = value;
  return last.current;
}
