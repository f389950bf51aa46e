{{/* Returns a text that is not longer than a length: list TEXT LENGTH. A longer one is cut, with a digest of all of it at the end. */}}
{{- define "waymark.fitted" -}}
{{- $text := index . 0 -}}
{{- $length := index . 1 | int -}}
{{- if gt (len $text) $length -}}
{{- printf "%s-%s" ($text | trunc (sub $length 9 | int) | trimSuffix "-" | trimSuffix ".") (sha256sum $text | trunc 8) -}}
{{- else -}}
{{- $text -}}
{{- end -}}
{{- end -}}

{{/* Returns the name of the application. */}}
{{- define "waymark.name" -}}
{{- include "waymark.fitted" (list (default .Chart.Name .Values.nameOverride) 63) -}}
{{- end -}}

{{/* Returns the prefix of the names of all objects. */}}
{{- define "waymark.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := .Release.Name -}}
{{- if not (contains $name .Release.Name) -}}{{- $full = printf "%s-%s" .Release.Name $name -}}{{- end -}}
{{- include "waymark.fitted" (list (default ($full | replace "." "-") .Values.fullnameOverride) 38) -}}
{{- end -}}

{{/* Returns the name of an object: list ROOT SUFFIX. Names of Services have at most 63 characters. */}}
{{- define "waymark.objectName" -}}
{{- include "waymark.fitted" (list (printf "%s-%s" (include "waymark.fullname" (index . 0)) (index . 1)) 63) -}}
{{- end -}}

{{/* Returns the name of the installation in an engine: list ROOT LENGTH. Neither a namespace nor a release has an underscore. */}}
{{- define "waymark.ownName" -}}
{{- $root := index . 0 -}}
{{- $name := printf "%s_%s" $root.Release.Namespace $root.Release.Name -}}
{{- if contains "." $name -}}
{{- $name = printf "%s-%s" ($name | replace "." "-") (sha256sum $name | trunc 8) -}}
{{- end -}}
{{- include "waymark.fitted" (list $name (index . 1)) -}}
{{- end -}}

{{- define "waymark.kubeVersion" -}}
{{- default .Capabilities.KubeVersion.Version .Values.kubeVersion -}}
{{- end -}}

{{- define "waymark.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "waymark.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The labels that select the pods of a component: dict root name. */}}
{{- define "waymark.selector" -}}
app.kubernetes.io/name: {{ include "waymark.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{/* Name, namespace, labels and annotations of an object: dict root name suffix annotations. */}}
{{- define "waymark.metadata" -}}
{{- $root := .root -}}
{{- $annotations := mergeOverwrite (dict) (default dict $root.Values.commonAnnotations) (default dict .annotations) -}}
name: {{ if .suffix }}{{ include "waymark.objectName" (list $root .suffix) }}{{ else }}{{ include "waymark.fullname" $root }}{{ end }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- $labels := include "waymark.selector" . | fromYaml }}
  {{- $_ := set $labels "app.kubernetes.io/version" $root.Chart.AppVersion }}
  {{- $_ := set $labels "app.kubernetes.io/managed-by" $root.Release.Service }}
  {{- $_ := set $labels "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_") }}
  {{- toYaml (merge $labels (default dict $root.Values.commonLabels)) | nindent 2 }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
