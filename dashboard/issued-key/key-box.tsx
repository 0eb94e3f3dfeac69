import { Check, Copy } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { useCopying } from '#dashboard/components/copying.tsx';

interface KeyBoxProps {
  text: string;
  onCopied: () => void;
}

/** The full key, with the focus on the button that copies it. */
export function KeyBox({ text, onCopied }: KeyBoxProps) {
  const { copied, copy } = useCopying(text);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('button')?.focus(), []);
  useEffect(() => {
    if (copied) onCopied();
  }, [copied, onCopied]);
  return (
    <div
      ref={box}
      className="flex flex-col gap-3 rounded-lg border border-control bg-canvas p-3 sm:flex-row sm:items-center sm:py-2 sm:pr-2 sm:pl-4"
    >
      <code className="min-w-0 flex-1 font-mono text-[0.875rem]/6 break-all select-all">{text}</code>
      <Button variant="primary" onClick={copy}>
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        {copied ? 'Copied' : 'Copy key'}
      </Button>
      <span role="status" className="sr-only">
        {copied && 'Copied'}
      </span>
    </div>
  );
}
