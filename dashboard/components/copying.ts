import { useEffect, useState } from 'react';
import { notifyFailure } from './feedback/toast.tsx';

/** Copies a text to the clipboard, and tells for two seconds that it has been copied. */
export function useCopying(text: string): { copied: boolean; copy: () => Promise<void> } {
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timeout = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timeout);
  }, [copied]);

  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => notifyFailure('The browser does not allow copying. Select the text and copy it.'),
    );
  return { copied, copy };
}
