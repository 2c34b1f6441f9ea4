import { BUSBOY } from './busboy.ts';
import { CONFORMANCE } from './conformance.ts';
import { FORMIDABLE } from './formidable.ts';
import { GO } from './go.ts';
import { MODSECURITY } from './modsecurity.ts';
import type { MultipartCase } from './multipart-case.ts';
import { PYTHON_MULTIPART } from './python-multipart.ts';

/** The cases by the reader whose tests they are from. */
export const MULTIPART_CASES: Record<string, MultipartCase[]> = {
  formidable: FORMIDABLE,
  busboy: BUSBOY,
  'python-multipart': PYTHON_MULTIPART,
  'multipart-form-data-conformance': CONFORMANCE,
  'Go, mime/multipart': GO,
  ModSecurity: MODSECURITY,
};
