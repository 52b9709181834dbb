export { absoluteTarget } from './domain-name.ts'
export type { RecordData, RecordType } from './record-data.ts'
export { parseRecordData, RECORD_TYPES } from './record-data.ts'
export type { ServiceBinding, ServiceParameter } from './svcb.ts'
