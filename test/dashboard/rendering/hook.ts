import { createElement, useState } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

/**
 * Renders a hook, and again after each step, which calls what the hook returned: a component may change its state while it
 * renders, also without a browser. Returns the results, of which there is one more than steps. Effects do not run.
 *
 * @param steps at most 24
 */
export function runHook<Result>(
  useHook: () => Result,
  steps: readonly ((result: Result) => void)[],
): Result[] {
  const results: Result[] = [];
  function Host() {
    const [, setStepCount] = useState(0);
    const result = useHook();
    const step = steps[results.length];
    results.push(result);
    if (step === undefined) return null;
    setStepCount((count) => count + 1);
    step(result);
    return null;
  }
  renderToStaticMarkup(createElement(Host));
  return results;
}
