/** Loads the code of views, also after the connection was lost. */
import { secondMs } from '#lambdas/platform/duration.ts';

/** The pauses before further tries while the browser believes to be online. */
const pausesMs = [secondMs, 3 * secondMs];

/** Browsers may believe to be offline when they are not. */
const offlineRetryMs = 10 * secondMs;

const failureMessage = 'The view could not be loaded';

/**
 * Tries again when the connection is back. The error of a file that cannot be loaded gets another name: the router would
 * reload the page for the original, and without a connection that is the end of the app.
 */
export async function loadView<Module>(load: () => Promise<Module>): Promise<Module> {
  let tries = 0;
  for (;;) {
    try {
      return await load();
    } catch (cause) {
      const isOnline = navigator.onLine;
      const pauseMs = isOnline ? pausesMs[tries++] : offlineRetryMs;
      if (pauseMs === undefined) throw new Error(failureMessage, { cause });
      await connectionOrPause(pauseMs);
    }
  }
}

/** Whether the code of a view is missing, rather than faulty. */
export function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && error.message === failureMessage;
}

function connectionOrPause(pauseMs: number): Promise<void> {
  return new Promise((resolve) => {
    const proceed = () => {
      clearTimeout(timeout);
      removeEventListener('online', proceed);
      resolve();
    };
    const timeout = setTimeout(proceed, pauseMs);
    addEventListener('online', proceed);
  });
}

/** Something that can be loaded ahead, such as the component of a route. */
interface LoadableView {
  preload?: () => Promise<unknown> | undefined;
}

/** A first view has been usable for long by then. */
const firstPreloadMs = 6 * secondMs;

/** Loads the code of all views one after another while nothing else happens, so that they open without a connection too. */
export function preloadViews(views: readonly LoadableView[]): void {
  const connection: { saveData?: boolean } | undefined = Reflect.get(navigator, 'connection');
  if (connection?.saveData) return;
  const [next, ...others] = views;
  if (next === undefined) return;
  setTimeout(() => void preloadNext(next, others), firstPreloadMs);
}

async function preloadNext(view: LoadableView, others: readonly LoadableView[]): Promise<void> {
  // Opening the view reports a failure.
  await view.preload?.()?.catch(() => {});
  const [next, ...rest] = others;
  if (next === undefined) return;
  const proceed = () => void preloadNext(next, rest);
  if ('requestIdleCallback' in globalThis) requestIdleCallback(proceed, { timeout: secondMs });
  else setTimeout(proceed, 100);
}
