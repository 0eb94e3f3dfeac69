import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { notifyFailure } from './feedback/toast.tsx';

interface CopyFieldProps {
  /** Above the text, and what the button copies: "Invitation link". */
  label: string;
  hiddenLabel?: boolean;
  text: string;
  /** For the text that a dialog is about: its button has the focus. */
  primary?: boolean;
  /** Called after each copy by the button. */
  onCopied?: () => void;
}

/** A text to copy as a whole, such as a link or a key. */
export function CopyField({ label, hiddenLabel = false, text, primary = false, onCopied }: CopyFieldProps) {
  const { copied, copy } = useCopying(text, onCopied);
  return (
    <div className="flex flex-col gap-1.5">
      <p className={hiddenLabel ? 'sr-only' : 'font-medium'}>{label}</p>
      <div className="flex min-h-11 items-center gap-3 rounded-lg border border-control bg-canvas py-1.5 pr-1.5 pl-3">
        <code className="min-w-0 flex-1 font-mono text-[0.8125rem]/5 break-all select-all">{text}</code>
        <div className="self-end">
          <Button
            size="small"
            variant={primary ? 'primary' : 'secondary'}
            aria-label={`Copy: ${label}`}
            autoFocus={primary}
            onClick={copy}
          >
            {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
            {copied ? 'Copied' : 'Copy'}
          </Button>
        </div>
      </div>
      <span role="status" className="sr-only">
        {copied && 'Copied'}
      </span>
    </div>
  );
}

/** @param label such as "Copy user ID" */
export function CopyButton({ label, text }: { label: string; text: string }) {
  const { copied, copy } = useCopying(text);
  return (
    <>
      <IconButton label={label} onClick={copy}>
        {copied ? <Check aria-hidden className="text-success" /> : <Copy aria-hidden />}
      </IconButton>
      <span role="status" className="sr-only">
        {copied && 'Copied'}
      </span>
    </>
  );
}

/** Copies a text to the clipboard, and tells for two seconds that it has been copied. */
export function useCopying(
  text: string,
  onCopied?: () => void,
): { copied: boolean; copy: () => Promise<void> } {
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timeout = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timeout);
  }, [copied]);

  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        onCopied?.();
      },
      () => notifyFailure('The browser does not allow copying. Select the text and copy it.'),
    );
  return { copied, copy };
}
