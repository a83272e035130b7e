/**
 * AES-GCM payloads of any size, authenticated before any plaintext is released, in constant memory: the encrypted attachments
 * of WS-Security ({@link sealmark.wss.VerifyingAttachments}) and others ({@link sealmark.wss.GcmInputStream}).
 */
package sealmark.wss;
