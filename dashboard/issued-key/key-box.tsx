import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { useCopying } from '#dashboard/components/copying.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';

interface KeyBoxProps {
  text: string;
  onCopied: () => void;
  /** Follows the warning. */
  children?: ReactNode;
}

/** The full key, with the focus on the button that copies it, and the warning that it is not shown again. */
export function KeyBox({ text, onCopied, children }: KeyBoxProps) {
  return (
    <div className="flex flex-col gap-3">
      <CopyBox text={text} onCopied={onCopied} />
      <Notice tone="warning">
        <strong className="font-medium">Copy the key now and store it in a safe place.</strong> It is shown
        only this once.{children}
      </Notice>
    </div>
  );
}

function CopyBox({ text, onCopied }: Omit<KeyBoxProps, 'children'>) {
  const { copied, copy } = useCopying(text, onCopied);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('button')?.focus(), []);
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
